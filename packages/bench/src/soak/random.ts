import { SeededRandom } from '@sluice/simulator';

/** Random choices that depend only on a seed, so that a run can be repeated. */
export class Random extends SeededRandom {
  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, sortKey: this.fraction() }))
      .toSorted((one, other) => one.sortKey - other.sortKey)
      .map(({ item }) => item);
  }

  /** A second, independent generator. Its seed is the next number of this one. */
  fork(): Random {
    return new Random(Math.floor(this.fraction() * 2 ** 32));
  }
}
