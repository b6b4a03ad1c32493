import { requestBodies } from '../compare/bodies.ts';
import type { Target } from '../load/load-options.ts';
import type { ReplyEnd } from '../load/reply-reader.ts';
import { WireConnection, requestBytes, type WireListener } from '../load/wire-connection.ts';
import { TimingList, type Timings } from '../measure/timings.ts';

const STREAM_MS = 5_000;
const RECONNECT_MS = 100;
const CHECK_EVERY_MS = 5;

/** Streams that a client reads without delay. Records the time between events. */
export class PacedStreams implements WireListener {
  failed = 0;
  readonly #target: Target;
  readonly #requests: readonly Buffer[];
  readonly #gaps = new TimingList();
  readonly #lastEventAt = new Map<WireConnection, number>();
  readonly #connections = new Set<WireConnection>();
  #sent = 0;
  #stopped = false;

  constructor(target: Target, { streams, paceMs }: { streams: number; paceMs: number }) {
    this.#target = target;
    this.#requests = requestBodies(streams, () => ({
      stream: true,
      steering: { tokens: Math.ceil(STREAM_MS / paceMs), itl_ms: paceMs },
    })).map((body) => requestBytes(target, body));
    for (let stream = 0; stream < streams; stream += 1) this.#open();
  }

  /** The gaps since the last call. */
  takeGaps(): Timings {
    return this.#gaps.take();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const connection of this.#connections) connection.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = setInterval(() => {
      if (this.#connections.size === 0) resolve();
    }, CHECK_EVERY_MS);
    await promise;
    clearInterval(check);
  }

  progressed(_events: number, connection: WireConnection): void {
    const now = performance.now();
    const last = this.#lastEventAt.get(connection);
    if (last !== undefined) this.#gaps.add(last, now - last);
    this.#lastEventAt.set(connection, now);
  }

  firstToken(): void {
    // Counted as an event like every other token.
  }

  ended(connection: WireConnection, { status, complete }: ReplyEnd): void {
    this.#lastEventAt.delete(connection);
    if (this.#stopped) return;
    if (status === 200 && complete) this.#sendOn(connection);
    else {
      this.failed += 1;
      connection.destroy();
    }
  }

  closed(connection: WireConnection): void {
    this.#connections.delete(connection);
    if (this.#stopped) return;
    setTimeout(() => {
      if (!this.#stopped) this.#open();
    }, RECONNECT_MS);
  }

  #open(): void {
    const connection = new WireConnection(this.#target, this);
    this.#connections.add(connection);
    this.#sendOn(connection);
  }

  #sendOn(connection: WireConnection): void {
    const request = this.#requests[this.#sent % this.#requests.length];
    if (request === undefined) throw new RangeError('there are no streams');
    this.#sent += 1;
    connection.send(request);
  }
}
