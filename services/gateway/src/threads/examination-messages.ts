import type { CatalogModel } from '@sluice/contracts';
import type { Examination } from '../domain/examine-request.ts';

/** What the two sides of the examination thread say to each other. Bodies are moved, not copied. */
export interface ExaminationOrder {
  readonly id: number;
  readonly body: ArrayBuffer;
  readonly organization: string;
  /** Those available now; undefined when the catalog could not be asked. */
  readonly models: readonly CatalogModel[] | undefined;
}

export interface ExaminationResult {
  readonly id: number;
  readonly body: ArrayBuffer;
  readonly examination: Examination;
}
