import type { Exchange } from './exchange.ts';
import { OUTCOMES, type Judgement, type Outcome } from './judge-exchange.ts';
import { SeenOutcomes } from './seen-outcomes.ts';

/** A failure that is allowed only during an injected fault or shortly after it. */
export interface Disturbance {
  readonly detail: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

const MAX_WRONGS = 200;

/** Counts the outcomes of all requests. */
export class Tally {
  /** The result of each request, to be compared with the ledger. */
  readonly seenOutcomes = new SeenOutcomes();
  #issued = 0;
  readonly #counts = new Map<string, Record<Outcome, number>>();
  readonly #disturbances: Disturbance[] = [];
  readonly #wrongs: string[] = [];

  get issued(): number {
    return this.#issued;
  }

  get counts(): ReadonlyMap<string, Readonly<Record<Outcome, number>>> {
    return this.#counts;
  }

  get disturbances(): readonly Disturbance[] {
    return this.#disturbances;
  }

  /** The first results that are wrong even during a fault. */
  get wrongs(): readonly string[] {
    return this.#wrongs;
  }

  get judged(): number {
    let sum = 0;
    for (const counts of this.#counts.values()) {
      for (const outcome of OUTCOMES) sum += counts[outcome];
    }
    return sum;
  }

  /** Call it before a request is sent, so that a request without a judgement is noticed. */
  issue(): void {
    this.#issued += 1;
  }

  /** `kind` is the kind of request, for the report. */
  add(kind: string, { outcome, detail = '' }: Judgement, seen: Exchange): void {
    let counts = this.#counts.get(kind);
    if (counts === undefined) {
      counts = emptyCounts();
      this.#counts.set(kind, counts);
    }
    counts[outcome] += 1;
    this.seenOutcomes.add(seen);
    if (outcome === 'disturbed') {
      const { startedAt, endedAt } = seen;
      this.#disturbances.push({ detail, startedAt, endedAt });
    } else if (outcome === 'wrong') this.addWrong(`${kind}: ${detail}`);
  }

  addWrong(text: string): void {
    if (this.#wrongs.length < MAX_WRONGS) this.#wrongs.push(text);
  }
}

function emptyCounts(): Record<Outcome, number> {
  return {
    answered: 0,
    'refused as expected': 0,
    'broken off as requested': 0,
    left: 0,
    limited: 0,
    disturbed: 0,
    wrong: 0,
  };
}
