/** An organization as the model sees it. */
export interface ModelOrganization {
  readonly name: string;
  readonly weight: number;
  readonly class: number;
  readonly slots: number;
}

interface State extends ModelOrganization {
  /** Tokens served, times `UNITS`, divided by the weight. */
  counter: bigint;
  running: number;
  readonly waiting: string[];
  /** When the organization began to wait, as a number that counts up. Decides between equal organizations. */
  waitsSince: number;
}

/** Divisible by the weights 1 to 16. */
const UNITS = 720_720n;

/**
 * A simple model of a queue of several classes and organizations, which tests compare with the real queue. It counts in
 * exact integers and searches a plain list of organizations. It has no least share for lower classes.
 */
export class QueueModel {
  readonly #states: State[] = [];
  readonly #start = new Map<number, bigint>();
  readonly #entry = new Map<number, bigint>();
  #moments = 0;

  enqueue(organization: ModelOrganization, job: string): void {
    const state = this.#enter(organization);
    const couldStart = isStartable(state);
    state.waiting.push(job);
    if (!couldStart && isStartable(state)) this.#beginsToWait(state);
  }

  mayStartAtOnce(organization: ModelOrganization): boolean {
    const state = this.#find(organization.name);
    return state === undefined || (state.waiting.length === 0 && state.running < state.slots);
  }

  startAtOnce(organization: ModelOrganization): void {
    const state = this.#enter(organization);
    state.running += 1;
    const waits = this.#ofClass(state.class).some(isStartable);
    if (!waits) this.#raise(this.#start, state.class, state.counter);
  }

  next(): string | undefined {
    const startable = this.#states.filter(isStartable);
    const highest = Math.max(...startable.map(({ class: number }) => number));
    const [chosen] = startable
      .filter((state) => state.class === highest)
      .toSorted(
        (one, other) =>
          compare(one.counter, other.counter) ||
          one.running / one.weight - other.running / other.weight ||
          one.waitsSince - other.waitsSince,
      );
    if (chosen === undefined) return undefined;
    this.#raise(this.#start, chosen.class, chosen.counter);
    chosen.running += 1;
    return chosen.waiting.shift();
  }

  charge(name: string, tokens: number): void {
    const state = this.#get(name);
    const entry = this.#entry.get(state.class) ?? 0n;
    const least = state.counter < entry ? state.counter : entry;
    const charged = state.counter + (BigInt(tokens) * UNITS) / BigInt(state.weight);
    state.counter = charged > least ? charged : least;
  }

  end(name: string): void {
    const state = this.#get(name);
    const couldStart = isStartable(state);
    state.running -= 1;
    if (!couldStart && isStartable(state)) {
      this.#catchUp(state);
      this.#beginsToWait(state);
    }
    this.#resetIfIdle(state.class);
  }

  /** The jobs that wait although they may start. */
  get startable(): number {
    return this.#states.filter(isStartable).length;
  }

  runningOf(name: string): number {
    return this.#find(name)?.running ?? 0;
  }

  #enter(organization: ModelOrganization): State {
    let state = this.#find(organization.name);
    if (state === undefined) {
      state = { ...organization, counter: 0n, running: 0, waiting: [], waitsSince: 0 };
      this.#states.push(state);
    }
    if (state.waiting.length === 0) this.#catchUp(state);
    return state;
  }

  #beginsToWait(state: State): void {
    this.#moments += 1;
    state.waitsSince = this.#moments;
  }

  /** Raises the counter to the virtual time of the others. */
  #catchUp(state: State): void {
    const ofClass = this.#ofClass(state.class);
    const active = ofClass.filter(({ running, waiting }) => running > 0 || waiting.length > 0);
    const startable = ofClass.filter((other) => isStartable(other) && other !== state);
    const reached = greatest([
      this.#start.get(state.class) ?? 0n,
      least(active.map(({ counter }) => counter)) ?? 0n,
    ]);
    const virtualTime = least([reached, ...startable.map(({ counter }) => counter)]) ?? reached;
    if (state.counter >= virtualTime) return;
    state.counter = virtualTime;
    this.#raise(this.#entry, state.class, virtualTime);
  }

  #resetIfIdle(number: number): void {
    const ofClass = this.#ofClass(number);
    if (ofClass.some(({ running, waiting }) => running > 0 || waiting.length > 0)) return;
    for (const state of ofClass) this.#states.splice(this.#states.indexOf(state), 1);
    this.#start.delete(number);
    this.#entry.delete(number);
  }

  #raise(of: Map<number, bigint>, number: number, to: bigint): void {
    of.set(number, greatest([of.get(number) ?? 0n, to]));
  }

  #ofClass(number: number): readonly State[] {
    return this.#states.filter((state) => state.class === number);
  }

  #find(name: string): State | undefined {
    return this.#states.find((state) => state.name === name);
  }

  #get(name: string): State {
    const state = this.#find(name);
    if (state === undefined) throw new RangeError(`${name} is not known`);
    return state;
  }
}

function isStartable({ waiting, running, slots }: State): boolean {
  return waiting.length > 0 && running < slots;
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other);
}

function least(values: readonly bigint[]): bigint | undefined {
  return values.toSorted(compare)[0];
}

function greatest(values: readonly bigint[]): bigint {
  return values.toSorted(compare).at(-1) ?? 0n;
}
