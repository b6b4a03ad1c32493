import type { CatalogModel } from '@sluice/contracts';
import type { Examination } from '../domain/examine-request.ts';

/** What the two sides of an examination thread say to each other. Bodies are moved, not copied. */
export interface ExaminationOrder {
  readonly body: ArrayBuffer;
  readonly organization: string;
  /** Those available now; undefined when the catalog could not be asked. */
  readonly models: readonly CatalogModel[] | undefined;
}

/** `ready` comes once, before the first order is sent: loading does not count as examining. */
export type ExaminationReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'examined'; readonly body: ArrayBuffer; readonly examination: Examination };
