import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectGarbage } from '../measure/collect-garbage.ts';
import { openDescriptors, residentKibibytes } from '../measure/process-usage.ts';
import { trendOf } from '../measure/statistics.ts';
import type { SluiceStack, StackProcess } from '../programs/sluice-stack.ts';

interface Point {
  readonly at: number;
  readonly value: number;
}

interface Series {
  readonly name: string;
  readonly pid: number;
  readonly memory: Point[];
  readonly descriptors: Point[];
}

export interface MemoryFinding {
  readonly name: string;
  readonly ok: boolean;
  readonly points: number;
  readonly startKib: number;
  readonly endKib: number;
  /** By the slope over all points, and its most favourable reading. */
  readonly kibPerHour: number;
  readonly leastKibPerHour: number;
}

const HOUR_MS = 3_600_000;
/** Growth below this over the time watched is what heaps do by themselves. */
const TOLERATED_SHARE = 0.1;
const TOLERATED_KIB = 16_384;
const LEAST_POINTS = 8;

/** Follows what each process holds, from one restart to the next. */
export class ProcessWatch {
  readonly #stack: SluiceStack;
  readonly #series = new Map<number, Series>();

  constructor(stack: SluiceStack) {
    this.#stack = stack;
  }

  /** Takes a point of every process, its garbage collected first, so that growth is growth. */
  async sample(): Promise<void> {
    const at = performance.now();
    for (const process of await this.#stack.processes()) {
      if (process.pid === null || !process.ready) continue;
      await this.#collect(process, process.pid);
      this.#seriesOf(process.name, process.pid).memory.push({
        at,
        value: residentKibibytes(process.pid),
      });
    }
  }

  /** Descriptors are compared between quiet moments only: under load they follow the load. */
  async sampleDescriptors(): Promise<void> {
    const at = performance.now();
    for (const { name, pid } of await this.#stack.processes()) {
      if (pid === null) continue;
      this.#seriesOf(name, pid).descriptors.push({ at, value: openDescriptors(pid) });
    }
  }

  /** Of the processes that were watched long enough; a leak grows, whatever the noise around it. */
  judgeMemory(since: number): MemoryFinding[] {
    return [...this.#series.values()].flatMap(({ name, memory }) => {
      const points = memory.filter(({ at }) => at >= since);
      const first = points[0];
      const last = points.at(-1);
      if (first === undefined || last === undefined || points.length < LEAST_POINTS) return [];
      const { slope, low } = trendOf(points);
      const growth = slope * (last.at - first.at);
      const isGrowing = low > 0 && growth > TOLERATED_KIB && growth > TOLERATED_SHARE * first.value;
      return [
        {
          name,
          ok: !isGrowing,
          points: points.length,
          startKib: first.value,
          endKib: last.value,
          kibPerHour: slope * HOUR_MS,
          leastKibPerHour: low * HOUR_MS,
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
      series = { name, pid, memory: [], descriptors: [] };
      this.#series.set(pid, series);
    }
    return series;
  }

  async #collect({ name, healthUrl }: StackProcess, pid: number): Promise<void> {
    // Redis and NATS are not Node's.
    if (healthUrl === null) return;
    try {
      await collectGarbage({
        pid,
        errorOutput: () => readFile(join(this.#stack.logs, `${name}.log`), 'utf8'),
      });
    } catch {
      // It may be frozen or gone by now: the point is taken as it is.
    }
  }
}
