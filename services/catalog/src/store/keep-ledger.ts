import { ledgerBounds, type Bus, type LedgerSettings, type LedgerStreamState } from '@sluice/bus';
import type { LedgerPlace, Subjects } from '@sluice/contracts';

export interface KeepLedgerOptions {
  readonly bus: Pick<Bus, 'keepLedgerStream'>;
  readonly subjects: Pick<Subjects, 'outcomes' | 'refusals'>;
  readonly settings: LedgerSettings;
}

/** Whether each stream of the ledger is there. */
export interface KeptLedger extends Disposable {
  readonly states: Readonly<Record<LedgerPlace['kind'], LedgerStreamState>>;
}

/**
 * Makes the streams of the ledger and keeps them. The catalog alone does: its user of NATS is the only one that may,
 * since a stream can be told to keep anything that passes over the bus, prompts included.
 */
export function keepLedger({ bus, subjects, settings }: KeepLedgerOptions): KeptLedger {
  const stack = new DisposableStack();
  const keep = (place: LedgerPlace) =>
    stack.use(
      bus.keepLedgerStream({
        stream: place.stream,
        subjects: place.subjects(),
        ...ledgerBounds(settings, place.kind),
      }),
    );
  const outcomes = keep(subjects.outcomes);
  const refusals = keep(subjects.refusals);
  return {
    get states() {
      return { outcomes: outcomes.state, refusals: refusals.state };
    },
    [Symbol.dispose]: () => stack.dispose(),
  };
}
