import type { Pause } from './pause-log.ts';

/** The pauses that were detected, in order and without overlap. Times are those of `performance.now()`. */
export class Pauses {
  readonly #pauses: readonly Pause[];

  constructor(seen: readonly Pause[]) {
    this.#pauses = merge(seen);
  }

  get count(): number {
    return this.#pauses.length;
  }

  /** How long the machine was paused between two times. */
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
   * Returns the same pauses, each made longer by a share of its length: the work that accumulated during a pause has to
   * be done after it. At half load, this work takes as long as the pause did, so the share is 1. If a pause begins
   * before the work of the previous pause is done, the rest of that work is done after the later pause.
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
