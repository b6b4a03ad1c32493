import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node';

/**
 * Starts the given files before the others of their group, so that no long file runs alone at the end of a group. Vitest
 * sorts by the durations of the last run, or by size if there are none, as on a fresh machine.
 */
export function longestFirst(files: readonly string[]) {
  const places = new Map(files.map((file, place) => [file, place]));
  return class extends BaseSequencer {
    readonly #root: string;

    constructor(vitest: Vitest) {
      super(vitest);
      this.#root = vitest.config.root;
    }

    override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
      // oxlint-disable-next-line no-array-sort -- it is the method of a sequencer, not of an array
      const sorted = await super.sort(specifications);
      return sorted.toSorted(
        (one, other) => groupOf(one) - groupOf(other) || this.#place(one) - this.#place(other),
      );
    }

    #place({ moduleId }: TestSpecification): number {
      return places.get(moduleId.slice(this.#root.length + 1)) ?? files.length;
    }
  };
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}
