import type { Pause } from './pause-log.ts';

/** Pauses that were seen, without overlap and in order. Times are those of performance.now(). */
export class Pauses {
  readonly #pauses: readonly Pause[];

  constructor(seen: readonly Pause[]) {
    this.#pauses = merge(seen);
  }

  get count(): number {
    return this.#pauses.length;
  }

  /** How much of a time the machine did not run. */
  pausedMs(from: number, to: number): number {
    let sum = 0;
    for (let index = this.#firstEndingAfter(from); index < this.#pauses.length; index += 1) {
      const pause = this.#pauses[index];
      if (pause === undefined || pause.from >= to) break;
      sum += Math.min(pause.to, to) - Math.max(pause.from, from);
    }
    return sum;
  }

  /**
   * The same with each made longer by a share of itself: what piled up meanwhile takes its time too. Work
   * that fills half of the capacity is caught up with after as long again. A pause that comes before the last
   * one was caught up with adds to what is left of it.
   */
  withAftermath(share: number): Pauses {
    let caughtUpAt = Number.NEGATIVE_INFINITY;
    return new Pauses(
      this.#pauses.map(({ from, to }) => {
        const left = Math.max(caughtUpAt - from, 0);
        caughtUpAt = to + left + (to - from) * share;
        return { from, to: caughtUpAt };
      }),
    );
  }

  #firstEndingAfter(moment: number): number {
    let low = 0;
    let high = this.#pauses.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#pauses[middle]?.to ?? 0) > moment) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function merge(seen: readonly Pause[]): Pause[] {
  const merged: Pause[] = [];
  for (const pause of seen.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last === undefined || pause.from > last.to) merged.push(pause);
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, pause.to) };
  }
  return merged;
}
