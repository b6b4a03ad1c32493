import { HEARTBEAT_INTERVAL_MS } from '@sluice/contracts';
import { Deadline } from '@sluice/service';
import type { FleetTable } from '../fleet/fleet-table.ts';
import type { WantedModel } from '../fleet/worker-index.ts';
import type { WorkerView } from '../fleet/worker-view.ts';

export interface WakeQueueOptions {
  readonly fleet: Pick<FleetTable, 'candidates' | 'lacksModel' | 'onArrival'>;
  readonly clock: () => number;
  readonly maxRequests: number;
  /** Limit for the bodies of all waiting requests together. */
  readonly maxBytes: number;
}

/** The targets of a request, the one of its conversation first. The request waits for a worker of any of them. */
type Targets = readonly [own: WantedModel, ...others: WantedModel[]];

interface WaitingRequest {
  readonly targets: Targets;
  readonly organization: string;
  readonly bodyBytes: number;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** `ask_again`: a worker may have room. `over`: the time is over. `full`: no more requests may wait. */
type WaitEnd = 'ask_again' | 'over' | 'full';

interface Waiter {
  readonly targets: Targets;
  readonly organization: string;
  readonly bodyBytes: number;
  readonly end: (end: WaitEnd) => void;
}

interface PoolState {
  waiting: number;
  /** When the first of the waiting requests came. Undefined while none waits, and after a worker has arrived. */
  wakingSince: number | undefined;
  /** How long the last wake took, from the first waiting request to a worker with room. */
  lastWakeMs: number | undefined;
}

interface Held {
  readonly requests: number;
  readonly bytes: number;
}

/** One organization may use this share of the queue, so that it cannot keep the requests of other tenants out. */
const SHARE_OF_ORGANIZATION = 1 / 4;
/** How many requests are released into the queue of a worker, as a share of its slots. */
const QUEUED_SHARE = 1 / 4;
const NOTHING_HELD: Held = { requests: 0, bytes: 0 };
const NONE: ReadonlySet<string> = new Set();

/**
 * Requests that wait for the first worker of a pool. They are released when a worker has room, as many as fit, taking
 * turns between organizations. Releasing all of them would send every body to a worker that must refuse most of them.
 */
export class WakeQueue {
  readonly #options: WakeQueueOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #held = new Map<string, Held>();
  readonly #pools = new Map<string, PoolState>();
  #heldBytes = 0;
  #stopWatching: (() => void) | undefined;

  constructor(options: WakeQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** The number of requests that wait for a worker of the pool. */
  waitingFor(pool: string): number {
    return this.#pools.get(pool)?.waiting ?? 0;
  }

  /** Estimates when the pool has a worker, from its last wake. Undefined if none was seen. */
  expectedMs(pool: string): number | undefined {
    const state = this.#pools.get(pool);
    if (state?.lastWakeMs === undefined) return undefined;
    const now = this.#options.clock();
    return Math.max(0, state.lastWakeMs - (now - (state.wakingSince ?? now)));
  }

  /** Waits until a worker may have room. An abort ends the wait with `ask_again`. */
  async wait({ limitMs, signal, ...request }: WaitingRequest): Promise<WaitEnd> {
    if (!this.#hasPlaceFor(request)) return 'full';
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const waiter: Waiter = {
      ...request,
      end: (end) => {
        this.#remove(waiter);
        resolve(end);
      },
    };
    const onAbort = () => waiter.end('ask_again');
    signal.addEventListener('abort', onAbort);
    const deadline = new Deadline(limitMs, () => waiter.end('over'));
    this.#add(waiter);
    const end = await promise;
    deadline.stop();
    signal.removeEventListener('abort', onAbort);
    return end;
  }

  /** A job of this gateway has freed a slot, before the next heartbeat says so. */
  noteFreedSlot(): void {
    if (this.#waiters.size > 0) this.#release();
  }

  #hasPlaceFor({ organization, bodyBytes }: Pick<Waiter, 'organization' | 'bodyBytes'>): boolean {
    const { maxRequests, maxBytes } = this.#options;
    const own = this.#held.get(organization) ?? NOTHING_HELD;
    return (
      this.#waiters.size < maxRequests &&
      this.#heldBytes + bodyBytes <= maxBytes &&
      own.requests < Math.ceil(maxRequests * SHARE_OF_ORGANIZATION) &&
      own.bytes + bodyBytes <= maxBytes * SHARE_OF_ORGANIZATION
    );
  }

  #add(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.#hold(waiter, 1);
    const state = this.#stateOf(waiter.targets[0].pool);
    state.waiting += 1;
    state.wakingSince ??= this.#options.clock();
    this.#stopWatching ??= this.#watch();
  }

  #remove(waiter: Waiter): void {
    if (!this.#waiters.delete(waiter)) return;
    this.#hold(waiter, -1);
    const state = this.#stateOf(waiter.targets[0].pool);
    state.waiting -= 1;
    if (state.waiting === 0) state.wakingSince = undefined;
    if (this.#waiters.size > 0) return;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  #hold({ organization, bodyBytes }: Waiter, sign: 1 | -1): void {
    const own = this.#held.get(organization) ?? NOTHING_HELD;
    const requests = own.requests + sign;
    if (requests === 0) this.#held.delete(organization);
    else this.#held.set(organization, { requests, bytes: own.bytes + sign * bodyBytes });
    this.#heldBytes += sign * bodyBytes;
  }

  /**
   * Releases requests when a new worker arrives, and at the interval of heartbeats, because these show when a full
   * worker has room again.
   */
  #watch(): () => void {
    const release = () => this.#release();
    const stopListening = this.#options.fleet.onArrival(release);
    const timer = setInterval(release, HEARTBEAT_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      stopListening();
    };
  }

  #release(): void {
    const { fleet } = this.#options;
    const groups = Map.groupBy(this.#waiters, ({ targets }) =>
      targets.map(({ pool, runtime_model }) => `${pool} ${runtime_model}`).join(' '),
    );
    for (const waiters of groups.values()) {
      const targets = waiters[0]?.targets;
      if (targets === undefined) continue;
      // If no runtime has the model, all requests are released and fail, because a later worker would not have the
      // model either.
      const isMissing = targets.every((target) => fleet.lacksModel(target));
      const workers = targets.flatMap((target) => fleet.candidates(target, NONE));
      const room = isMissing ? Infinity : roomOf(workers);
      if (room <= 0) continue;
      this.#noteWake(targets[0].pool);
      for (const waiter of inTurns(waiters).slice(0, room)) waiter.end('ask_again');
    }
  }

  #noteWake(pool: string): void {
    const state = this.#stateOf(pool);
    if (state.wakingSince === undefined) return;
    state.lastWakeMs = this.#options.clock() - state.wakingSince;
    state.wakingSince = undefined;
  }

  /** Entries are never deleted. There are only as many as there are pools in the catalog. */
  #stateOf(pool: string): PoolState {
    const known = this.#pools.get(pool);
    if (known !== undefined) return known;
    const state: PoolState = { waiting: 0, wakingSince: undefined, lastWakeMs: undefined };
    this.#pools.set(pool, state);
    return state;
  }
}

/**
 * How many more jobs the workers take into free slots and a short queue, which keeps the slots busy between two
 * heartbeats. The queues of the first workers are not filled, so that workers that start later find jobs to run.
 */
function roomOf(workers: readonly WorkerView[]): number {
  let room = 0;
  for (const { load, offered } of workers) {
    const { slots, queue_limit: queueLimit, running, queued } = load;
    const shortQueue = Math.min(queueLimit, Math.ceil(slots * QUEUED_SHARE));
    room += Math.max(0, slots + shortQueue - running - queued - offered);
  }
  return room;
}

/** The oldest waiter of each organization, then the second of each, and so on. */
function inTurns(waiters: readonly Waiter[]): Waiter[] {
  const ofEach = Map.groupBy(waiters, ({ organization }) => organization);
  return Array.from(ofEach.values(), (own) => own.map((waiter, turn) => ({ waiter, turn })))
    .flat()
    .toSorted((left, right) => left.turn - right.turn)
    .map(({ waiter }) => waiter);
}
