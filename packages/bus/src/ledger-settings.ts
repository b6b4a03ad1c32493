import { integerSetting } from '@sluice/host';
import type * as z from 'zod';
import type { LedgerStreamOptions } from './ledger.ts';

/** Settings of the service that keeps the streams of the outcome ledger; the replica started last decides. */
export const ledgerSettings = {
  /** How many servers of a NATS cluster hold it. */
  LEDGER_REPLICAS: integerSetting(1, 5).default(1),
  /** Older records are forgotten. */
  LEDGER_DAYS: integerSetting(1, 3_650).default(35),
  /** Beyond this the oldest records are forgotten; a request takes about a kilobyte. Refusals have an eighth more. */
  LEDGER_MAX_BYTES: integerSetting(1_048_576, 1_099_511_627_776).default(1_073_741_824),
};

export type LedgerSettings = z.infer<z.ZodObject<typeof ledgerSettings>>;

const DAY_MS = 86_400_000;
/** A refusal takes half of what a served request takes, and nothing is billed for it. */
const REFUSALS_PART = 8;

/** How a ledger is kept by these settings. */
export function ledgerBounds(
  settings: LedgerSettings,
  kind: 'outcomes' | 'refusals',
): Pick<LedgerStreamOptions, 'replicas' | 'maxAgeMs' | 'maxBytes'> {
  const { LEDGER_MAX_BYTES: maxBytes } = settings;
  return {
    replicas: settings.LEDGER_REPLICAS,
    maxAgeMs: settings.LEDGER_DAYS * DAY_MS,
    maxBytes: kind === 'refusals' ? Math.floor(maxBytes / REFUSALS_PART) : maxBytes,
  };
}
