import { SeededRandom } from '@sluice/simulator';

/** Choices that a seed decides, so that a run can be repeated. */
export class Random extends SeededRandom {
  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, place: this.fraction() }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }

  /** Another sequence that this one decides. */
  fork(): Random {
    return new Random(Math.floor(this.fraction() * 4_294_967_296));
  }
}
