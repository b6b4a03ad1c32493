import type { Bus } from '@sluice/bus';
import type { Subjects } from '@sluice/contracts';

/**
 * Creates the streams of the ledger, as the catalog does: one megabyte for outcomes, an eighth of that for refusals.
 * Without the streams, each gateway waits two seconds at its end for its last records to be stored.
 */
export function keepLedger(
  stack: Pick<DisposableStack, 'use'>,
  bus: Bus,
  { ledger }: Pick<Subjects, 'ledger'>,
): void {
  for (const { kind, stream, subjects } of ledger) {
    const maxBytes = kind === 'outcomes' ? 1_048_576 : 131_072;
    const bounds = { replicas: 1, maxAgeMs: 3_600_000, maxBytes };
    stack.use(bus.keepLedgerStream({ stream, subjects: subjects(), ...bounds }));
  }
}
