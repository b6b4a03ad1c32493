import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectGarbage } from '../measure/collect-garbage.ts';
import { openDescriptors, residentKibibytes } from '../measure/process-usage.ts';
import type { SluiceStack, StackProcess } from '../programs/sluice-stack.ts';
import { judgeGrowth, type Growth, type Point } from './memory-growth.ts';

interface Series {
  readonly name: string;
  readonly resident: Point[];
  /** What objects and buffers hold; of Node's processes. */
  readonly held: Point[];
  readonly descriptors: Point[];
}

export interface MemoryFinding {
  readonly name: string;
  readonly resident: Growth;
  readonly held: Growth | undefined;
}

/** Heaps and allocators keep some of what they once needed; objects that are let go are gone. */
const TOLERATED_RESIDENT_KIB = 16_384;
const TOLERATED_HELD_KIB = 4_096;
/** Nobody can make these collect: Go's heap may double before it looks for garbage by itself. */
const TOLERATED_UNCOLLECTED_KIB = 65_536;
const BYTES = 1_024;

/** Follows what each process holds. A process that was started again is another one. */
export class ProcessWatch {
  readonly #stack: SluiceStack;
  readonly #series = new Map<number, Series>();

  constructor(stack: SluiceStack) {
    this.#stack = stack;
  }

  /**
   * Takes a point of every process, its garbage collected first, so that growth is growth. Collecting
   * stops a process for longer than its neighbours wait: nothing should be under way.
   */
  async sample(): Promise<void> {
    const at = performance.now();
    await Promise.all(
      (await this.#stack.processes()).map(async (process) => {
        const { pid, name } = process;
        if (pid === null || !process.ready) return;
        const series = this.#seriesOf(name, pid);
        // Redis and NATS are not Node's.
        if (process.healthUrl !== null) {
          const held = await this.#collect(process, pid);
          if (held === undefined) return;
          series.held.push({ at, value: held / BYTES });
        }
        series.resident.push({ at, value: residentKibibytes(pid) });
      }),
    );
  }

  /** Descriptors are compared between quiet moments only: under load they follow the load. */
  async sampleDescriptors(): Promise<void> {
    const at = performance.now();
    for (const { name, pid } of await this.#stack.processes()) {
      if (pid === null) continue;
      this.#seriesOf(name, pid).descriptors.push({ at, value: openDescriptors(pid) });
    }
  }

  /** Of the processes that were watched long enough. */
  judgeMemory(since: number): MemoryFinding[] {
    return [...this.#series.values()].flatMap(({ name, resident, held }) => {
      const judged = judgeGrowth(resident, {
        since,
        toleratedKib: held.length === 0 ? TOLERATED_UNCOLLECTED_KIB : TOLERATED_RESIDENT_KIB,
      });
      if (judged === undefined) return [];
      return [
        {
          name,
          resident: judged,
          held: judgeGrowth(held, { since, toleratedKib: TOLERATED_HELD_KIB }),
        },
      ];
    });
  }

  /** First and last quiet moment of each process that lived through both. */
  descriptorChanges(): { name: string; from: number; to: number }[] {
    return [...this.#series.values()].flatMap(({ name, descriptors }) => {
      const [first] = descriptors;
      const last = descriptors.at(-1);
      if (first === undefined || last === undefined || descriptors.length < 2) return [];
      return [{ name, from: first.value, to: last.value }];
    });
  }

  #seriesOf(name: string, pid: number): Series {
    let series = this.#series.get(pid);
    if (series === undefined) {
      series = { name, resident: [], held: [], descriptors: [] };
      this.#series.set(pid, series);
    }
    return series;
  }

  /** Undefined when it is gone by now, or does not answer: then there is no point to take. */
  async #collect({ name }: StackProcess, pid: number): Promise<number | undefined> {
    try {
      return await collectGarbage({
        pid,
        errorOutput: () => readFile(join(this.#stack.logs, `${name}.log`), 'utf8'),
      });
    } catch {
      return undefined;
    }
  }
}
