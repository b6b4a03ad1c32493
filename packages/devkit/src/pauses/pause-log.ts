/** A time during which the machine did not run, in milliseconds since the epoch. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

// Positions in the control part of the memory: whether the writer has to end, and how many pauses were written.
const STOP = 0;
const COUNT = 1;
const CONTROL_BYTES = 8;
const PAUSE_BYTES = 2 * Float64Array.BYTES_PER_ELEMENT;

/**
 * A ring of pauses in shared memory. One thread writes it and another one reads it. When it is full, a new pause
 * replaces the oldest.
 */
export class PauseLog {
  readonly memory: SharedArrayBuffer;
  readonly #control: Int32Array<SharedArrayBuffer>;
  readonly #times: Float64Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#control = new Int32Array(memory, 0, 2);
    this.#times = new Float64Array(memory, CONTROL_BYTES);
  }

  static ofSize(pauses: number): PauseLog {
    return new PauseLog(new SharedArrayBuffer(CONTROL_BYTES + pauses * PAUSE_BYTES));
  }

  write({ from, to }: Pause): void {
    const count = Atomics.load(this.#control, COUNT);
    const place = (2 * count) % this.#times.length;
    this.#times[place] = from;
    this.#times[place + 1] = to;
    Atomics.store(this.#control, COUNT, count + 1);
  }

  read(): Pause[] {
    const kept = Math.min(Atomics.load(this.#control, COUNT), this.#times.length / 2);
    return Array.from({ length: kept }, (_, index) => ({
      from: this.#times[2 * index] ?? 0,
      to: this.#times[2 * index + 1] ?? 0,
    }));
  }

  /** Lets the calling thread sleep. Returns false if the thread has to end. */
  sleep(milliseconds: number): boolean {
    return Atomics.wait(this.#control, STOP, 0, milliseconds) === 'timed-out';
  }

  stop(): void {
    Atomics.store(this.#control, STOP, 1);
    Atomics.notify(this.#control, STOP);
  }
}
