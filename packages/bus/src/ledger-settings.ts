import { integerSetting } from '@sluice/service';
import type * as z from 'zod';
import type { LedgerStreamOptions } from './ledger.ts';

/**
 * Settings of the service that keeps the streams of the outcome ledger. If replicas have different settings, those of
 * the replica that started last apply.
 */
export const ledgerSettings = {
  /** How many servers of a NATS cluster hold a copy. */
  LEDGER_REPLICAS: integerSetting(1, 5).default(1),
  /** Older records are removed. */
  LEDGER_DAYS: integerSetting(1, 3_650).default(35),
  /**
   * Above this size the oldest records are removed. A request takes about a kilobyte. The stream of refusals may take
   * another eighth of this size.
   */
  LEDGER_MAX_BYTES: integerSetting(1_048_576, 1_099_511_627_776).default(1_073_741_824),
};

export type LedgerSettings = z.infer<z.ZodObject<typeof ledgerSettings>>;

const DAY_MS = 86_400_000;
/**
 * Refusals get this fraction of the space, because a refused request takes half the space of a served one and is not
 * billed.
 */
const REFUSALS_PART = 8;

/** The limits of the streams, from these settings. */
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
