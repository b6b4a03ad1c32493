export const BACKING_KINDS = ['redis', 'nats'] as const;
export type BackingKind = (typeof BACKING_KINDS)[number];

/** A program that serves: one of this machine, or an image for its Docker engine. */
export type ServerProgram =
  | { readonly kind: 'executable'; readonly path: string }
  | { readonly kind: 'docker'; readonly image: string };

/** Where a server is had from: somebody runs it already, or we start it. */
export type BackingSource = { readonly kind: 'url'; readonly url: string } | ServerProgram;
