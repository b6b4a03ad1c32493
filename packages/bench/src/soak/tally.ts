import type { Exchange } from './exchange.ts';
import { OUTCOMES, type Judgement, type Outcome } from './judge-exchange.ts';
import { OutcomeBook } from './outcome-book.ts';

/** A failure that a fault must excuse. */
export interface Disturbance {
  readonly detail: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

const MOST_KEPT = 200;

/** Counts what came of every request. */
export class Tally {
  /** What came of each, for the ledger to be held against. */
  readonly book = new OutcomeBook();
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

  /** What was wrong whatever else happened; the first of them. */
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

  /** Called before a request is sent, so that one that is never judged is missed. */
  issue(): void {
    this.#issued += 1;
  }

  add(what: string, { outcome, detail = '' }: Judgement, seen: Exchange): void {
    let counts = this.#counts.get(what);
    if (counts === undefined) {
      counts = emptyCounts();
      this.#counts.set(what, counts);
    }
    counts[outcome] += 1;
    this.book.add(seen);
    if (outcome === 'disturbed') {
      const { startedAt, endedAt } = seen;
      this.#disturbances.push({ detail, startedAt, endedAt });
    } else if (outcome === 'wrong') this.addWrong(`${what}: ${detail}`);
  }

  addWrong(text: string): void {
    if (this.#wrongs.length < MOST_KEPT) this.#wrongs.push(text);
  }
}

function emptyCounts(): Record<Outcome, number> {
  return {
    answered: 0,
    'refused as it should be': 0,
    'broken off as ordered': 0,
    left: 0,
    limited: 0,
    disturbed: 0,
    wrong: 0,
  };
}
