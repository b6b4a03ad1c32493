import type { Examination, FoundModel } from '../domain/examine-request.ts';

/**
 * What the two sides of an examination thread say to each other. Bodies are moved, not copied. The thread asks for the
 * one model that a body names, when it has read that far: a copy of all models takes longer than most examinations.
 */
export type ExaminationOrder =
  | { readonly kind: 'examine'; readonly body: ArrayBuffer; readonly organization: string }
  | { readonly kind: 'found'; readonly found: FoundModel };

/** `ready` comes once, before the first order is sent: loading does not count as examining. */
export type ExaminationReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'model_wanted'; readonly id: string }
  | { readonly kind: 'examined'; readonly body: ArrayBuffer; readonly examination: Examination };
