import { integerSetting } from '@sluice/host';
import type * as z from 'zod';
import type { LedgerOptions } from './ledger.ts';

/** Settings of every service that writes to the outcome ledger; the last one started decides. */
export const ledgerSettings = {
  /** How many servers of a NATS cluster hold it. */
  LEDGER_REPLICAS: integerSetting(1, 5).default(1),
  /** Older records are forgotten. */
  LEDGER_DAYS: integerSetting(1, 3_650).default(35),
  /** Beyond this the oldest records are forgotten; a request takes about a kilobyte. */
  LEDGER_MAX_BYTES: integerSetting(1_048_576, 1_099_511_627_776).default(1_073_741_824),
};

export type LedgerSettings = z.infer<z.ZodObject<typeof ledgerSettings>>;

const DAY_MS = 86_400_000;

/** How a ledger is kept by these settings. */
export function ledgerBounds(
  settings: LedgerSettings,
): Pick<LedgerOptions, 'replicas' | 'maxAgeMs' | 'maxBytes'> {
  return {
    replicas: settings.LEDGER_REPLICAS,
    maxAgeMs: settings.LEDGER_DAYS * DAY_MS,
    maxBytes: settings.LEDGER_MAX_BYTES,
  };
}
