import { ledgerBounds, type Bus, type LedgerSettings, type LedgerStreamState } from '@sluice/bus';
import type { LedgerPlace, Subjects } from '@sluice/contracts';

export interface KeepLedgerOptions {
  readonly bus: Pick<Bus, 'keepLedgerStream'>;
  readonly subjects: Pick<Subjects, 'outcomes' | 'refusals'>;
  readonly settings: LedgerSettings;
}

/** The state of each stream of the ledger. */
export interface KeptLedger extends Disposable {
  readonly states: Readonly<Record<LedgerPlace['kind'], LedgerStreamState>>;
}

/**
 * Creates the streams of the ledger and keeps them up to date. Only the NATS user of the catalog may create streams,
 * because a stream can record every message on the bus, prompts included.
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
