export const BACKING_KINDS = ['redis', 'nats'] as const;
export type BackingKind = (typeof BACKING_KINDS)[number];

/** How to run a server: a program on this machine, or a Docker image. */
export type ServerProgram =
  | { readonly kind: 'executable'; readonly path: string }
  | { readonly kind: 'docker'; readonly image: string };

/** A server that already runs at a URL, or a program to start. */
export type BackingSource = { readonly kind: 'url'; readonly url: string } | ServerProgram;
