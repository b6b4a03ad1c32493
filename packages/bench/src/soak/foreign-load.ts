import { setTimeout as delay } from 'node:timers/promises';
import { isBusyWithOthers } from '../measure/busy-machine.ts';
import { cpuMicroseconds, machineMicroseconds } from '../measure/process-usage.ts';
import type { SluiceStack } from '../programs/sluice-stack.ts';

interface Interval {
  readonly from: number;
  readonly to: number;
}

const CHECK_EVERY_MS = 1_000;
const MICROSECONDS_PER_MS = 1_000;

/**
 * Records the seconds in which other programs used much of the machine. A deadline missed in such a second shows that a
 * process waited for a processor, not that the service was slow.
 */
export class ForeignLoad implements AsyncDisposable {
  readonly #stack: SluiceStack;
  readonly #busy: Interval[] = [];
  readonly #stopping = new AbortController();
  #used = new Map<number, number>();
  #watching: Promise<void> | undefined;

  private constructor(stack: SluiceStack) {
    this.#stack = stack;
  }

  static watch(stack: SluiceStack): ForeignLoad {
    const load = new ForeignLoad(stack);
    load.#watching = load.#watch();
    return load;
  }

  /** Whether a busy second overlaps with this interval. */
  overlaps({ startedAt, endedAt }: { startedAt: number; endedAt: number }): boolean {
    return this.#busy.some(({ from, to }) => from <= endedAt && to >= startedAt);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    let from = performance.now();
    let machine = machineMicroseconds();
    await this.#stackCpuSinceLast();
    while (await this.#nextCheck()) {
      const to = performance.now();
      const machineNow = machineMicroseconds();
      const foreign = machineNow - machine - (await this.#stackCpuSinceLast());
      if (isBusyWithOthers(foreign / ((to - from) * MICROSECONDS_PER_MS))) {
        this.#busy.push({ from, to });
      }
      from = to;
      machine = machineNow;
    }
  }

  /** CPU of the stack and of this process since the last call. A new process counts from its start. */
  async #stackCpuSinceLast(): Promise<number> {
    const services = await this.#stack.processes();
    const pids = [process.pid, this.#stack.pid, ...services.flatMap(({ pid }) => pid ?? [])];
    const now = new Map(pids.map((pid) => [pid, cpuMicroseconds(pid)]));
    let sum = 0;
    for (const [pid, used] of now) sum += used - (this.#used.get(pid) ?? 0);
    this.#used = now;
    return sum;
  }

  /** Waits for the next check. Returns false when the watch has been stopped. */
  async #nextCheck(): Promise<boolean> {
    try {
      await delay(CHECK_EVERY_MS, undefined, { signal: this.#stopping.signal });
      return true;
    } catch {
      return false;
    }
  }
}
