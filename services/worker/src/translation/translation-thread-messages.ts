import type { RuntimeKind } from '../dialect/dialect.ts';
import type { TranslatedRequest, TranslationSettings } from '../dialect/translate-request.ts';

/** What the two sides of a translation thread say to each other. Bytes are moved, not copied. */
export interface TranslationOrder {
  readonly body: ArrayBuffer;
  readonly kind: RuntimeKind;
  readonly settings: TranslationSettings;
}

/** `ready` comes once, before the first order is sent: loading does not count as translating. */
export type TranslationReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'translated'; readonly request: TranslatedRequest }
  /** The body is no request. Why is not told: a parser quotes the prompt. */
  | { readonly kind: 'unreadable' };
