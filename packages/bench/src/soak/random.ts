import { SeededRandom } from '@sluice/simulator';

/** Random choices that depend only on a seed, so that a run can be repeated. */
export class Random extends SeededRandom {
  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, place: this.fraction() }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }

  /** A new sequence whose seed comes from this one. */
  fork(): Random {
    return new Random(Math.floor(this.fraction() * 4_294_967_296));
  }
}
