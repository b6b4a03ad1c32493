import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectGarbage } from '../measure/collect-garbage.ts';
import { openDescriptors, residentKibibytes } from '../measure/process-usage.ts';
import type { SluiceStack, StackProcess } from '../programs/sluice-stack.ts';
import { judgeGrowth, type Growth, type Point } from './memory-growth.ts';

interface Series {
  readonly name: string;
  readonly resident: Point[];
  /** Memory of objects and buffers. Only for Node processes. */
  readonly held: Point[];
  readonly descriptors: Point[];
}

export interface MemoryFinding {
  readonly name: string;
  readonly resident: Growth;
  readonly held: Growth | undefined;
}

/** Resident memory may grow more than held memory, because heaps and allocators keep some of the memory they freed. */
const TOLERATED_RESIDENT_KIB = 16_384;
const TOLERATED_HELD_KIB = 4_096;
/**
 * Tolerated growth of processes whose garbage cannot be collected on demand. With the default `GOGC=100`, Go lets its
 * heap double before it collects.
 */
const TOLERATED_UNCOLLECTED_KIB = 65_536;
const BYTES_PER_KIB = 1_024;

/** Records the memory and descriptors of each process. A restarted process starts a new series. */
export class ProcessWatch {
  readonly #stack: SluiceStack;
  readonly #series = new Map<number, Series>();

  constructor(stack: SluiceStack) {
    this.#stack = stack;
  }

  /**
   * Adds a point for every process. Garbage is collected first, so that growth is real growth. To be called when
   * nothing is under way, because a collection can stop a process for longer than the deadlines of its peers.
   */
  async sample(): Promise<void> {
    const at = performance.now();
    await Promise.all(
      (await this.#stack.processes()).map(async (process) => {
        const { pid, name } = process;
        if (pid === null || !process.ready) return;
        const series = this.#seriesOf(name, pid);
        // Redis and NATS are not Node processes.
        if (process.healthUrl !== null) {
          const held = await this.#collect(process, pid);
          if (held === undefined) return;
          series.held.push({ at, value: held / BYTES_PER_KIB });
        }
        series.resident.push({ at, value: residentKibibytes(pid) });
      }),
    );
  }

  /** Call it only when nothing is under way, because the number of descriptors depends on the load. */
  async sampleDescriptors(): Promise<void> {
    const at = performance.now();
    for (const { name, pid } of await this.#stack.processes()) {
      if (pid === null) continue;
      this.#seriesOf(name, pid).descriptors.push({ at, value: openDescriptors(pid) });
    }
  }

  /** Judges the processes that were watched long enough. */
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

  /** The first and last quiet moment of each process that was running at both. */
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

  /** Undefined when the process has ended or does not answer. Then it gets no point. */
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
