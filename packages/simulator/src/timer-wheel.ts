export interface TimedEntry {
  /** The due time on the clock of the wheel. Null when it is not scheduled. Only the wheel sets it. */
  due: number | null;
  /** Called once, at or after the due time. */
  run(now: number): void;
}

/** One turn of the wheel takes 4,096 milliseconds. An entry that is due later stays in its slot for several turns. */
const slotCount = 4_096;
/** Turns a millisecond into the index of its slot: the remainder of a division by the number of slots. */
const slotMask = slotCount - 1;

/**
 * One timer for all paced streams of the process. A slot holds the entries that are due within one millisecond. The
 * cost of scheduling and cancelling does not depend on the number of streams.
 */
export class TimerWheel {
  readonly #slots: TimedEntry[][] = Array.from({ length: slotCount }, () => []);
  readonly #clock: () => number;
  /** The number of scheduled entries. */
  #waiting = 0;
  /** The last millisecond whose slot was visited. */
  #reached: number;
  /** The millisecond for which the timer is set. */
  #armedFor = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #nextTurn: TimedEntry[] = [];

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#reached = Math.floor(clock());
  }

  now(): number {
    return this.#clock();
  }

  /** Scheduling an entry again moves it. */
  schedule(entry: TimedEntry, due: number): void {
    if (entry.due === null) this.#waiting += 1;
    entry.due = due;
    if (due <= this.#clock()) {
      // Runs in the next turn of the event loop, without the delay of a timer.
      if (this.#nextTurn.length === 0) setImmediate(this.#runNextTurn);
      this.#nextTurn.push(entry);
      return;
    }
    const slot = Math.ceil(due);
    this.#slots[slot & slotMask]?.push(entry);
    if (slot < this.#armedFor) this.#arm(slot);
  }

  /** The entry stays in its slot and is skipped there. */
  cancel(entry: TimedEntry): void {
    if (entry.due === null) return;
    entry.due = null;
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#disarm();
  }

  #arm(slot: number): void {
    clearTimeout(this.#timer);
    this.#armedFor = slot;
    this.#timer = setTimeout(this.#turn, Math.max(1, Math.ceil(slot - this.#clock())));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  readonly #runNextTurn = (): void => {
    const entries = this.#nextTurn;
    this.#nextTurn = [];
    const now = this.#clock();
    for (const entry of entries) this.#runIfDue(entry, now);
  };

  readonly #turn = (): void => {
    this.#disarm();
    const now = this.#clock();
    const last = Math.floor(now);
    // After a long pause every slot is visited once, not once per missed millisecond.
    const first = Math.max(this.#reached + 1, last - slotCount + 1);
    this.#reached = last;
    for (let slot = first; slot <= last; slot += 1) this.#visit(slot & slotMask, now);
    this.#armForNext();
  };

  #visit(index: number, now: number): void {
    const entries = this.#slots[index];
    if (entries === undefined || entries.length === 0) return;
    const kept: TimedEntry[] = [];
    this.#slots[index] = kept;
    for (const entry of entries) {
      const isLater = entry.due !== null && entry.due > now;
      if (!isLater) this.#runIfDue(entry, now);
      // An entry that was moved to another slot is still in its old slot and is removed here.
      else if ((Math.ceil(entry.due ?? 0) & slotMask) === index) kept.push(entry);
    }
  }

  #runIfDue(entry: TimedEntry, now: number): void {
    if (entry.due === null || entry.due > now) return;
    entry.due = null;
    this.#waiting -= 1;
    entry.run(now);
  }

  #armForNext(): void {
    if (this.#waiting === 0) return;
    for (let slot = this.#reached + 1; slot <= this.#reached + slotCount; slot += 1) {
      if ((this.#slots[slot & slotMask]?.length ?? 0) === 0) continue;
      if (slot < this.#armedFor) this.#arm(slot);
      return;
    }
  }
}
