import type { Running } from '../driver/driver-process.ts';
import { TimingList } from '../measure/timings.ts';
import type { LoadOptions, LoadState } from './load-options.ts';
import type { ReplyEnd } from './reply-reader.ts';
import { WireConnection, requestBytes, type WireListener } from './wire-connection.ts';

/** Delay before a closed connection of a closed loop is replaced. */
const RECONNECT_MS = 20;
/** Delay before a refused stream is opened again. */
const REOPEN_MS = 500;
/** Interval of the timers that send requests at a rate and check whether all connections are closed. */
const TURN_MS = 1;

/** A load that runs until it is stopped, and what it has observed. */
export class RunningLoad implements WireListener, Running<LoadState> {
  #sent = 0;
  #completed = 0;
  #failed = 0;
  #events = 0;
  #begun = 0;
  #open = 0;
  readonly #failures: Record<string, number> = {};
  readonly #firstTokens = new TimingList();
  readonly #replies = new TimingList();
  readonly #options: LoadOptions;
  readonly #requests: readonly Buffer[];
  readonly #connections = new Set<WireConnection>();
  readonly #idle: WireConnection[] = [];
  readonly #turn: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#requests = options.bodies.map((body) => requestBytes(options.target, body));
    const { pattern } = options;
    if (pattern.kind === 'closed loop') {
      for (let count = 0; count < pattern.connections; count += 1) this.#sendOn(this.#connect());
    } else if (pattern.kind === 'held streams') {
      this.#turn = this.#atRate(pattern.opensPerSecond, this.#requests.length, () =>
        this.#sendOn(this.#connect()),
      );
    } else {
      this.#turn = this.#atRate(pattern.perSecond, Number.POSITIVE_INFINITY, () =>
        this.#sendOn(this.#idle.pop() ?? this.#connect()),
      );
    }
  }

  /** Counts since the start, and the list entries since the last call. */
  read(): LoadState {
    return {
      sent: this.#sent,
      completed: this.#completed,
      failed: this.#failed,
      failures: { ...this.#failures },
      events: this.#events,
      begun: this.#begun,
      open: this.#open,
      firstTokens: this.#firstTokens.take(),
      replies: this.#replies.take(),
    };
  }

  /** Destroys all connections and waits until they are closed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#turn);
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const connection of this.#connections) connection.destroy();
    const check = setInterval(() => {
      if (this.#connections.size === 0) resolve();
    }, TURN_MS);
    await promise;
    clearInterval(check);
  }

  progressed(events: number): void {
    this.#events += events;
  }

  firstToken({ sentAt }: WireConnection): void {
    this.#begun += 1;
    this.#firstTokens.add(sentAt, performance.now() - sentAt);
  }

  ended(connection: WireConnection, { status, complete }: ReplyEnd): void {
    this.#open -= 1;
    if (this.#stopped) return;
    if (status === 200 && complete) {
      this.#completed += 1;
      this.#replies.add(connection.sentAt, performance.now() - connection.sentAt);
    } else {
      this.#failed += 1;
      this.#failures[status] = (this.#failures[status] ?? 0) + 1;
    }
    const { kind } = this.#options.pattern;
    if (kind === 'held streams') {
      // A stream that ended early lowers the count of open streams. A stream that was refused is opened again.
      connection.destroy();
      if (status !== 200) this.#connectAfter(REOPEN_MS);
    } else if (!complete) connection.destroy();
    else if (kind === 'closed loop') this.#sendOn(connection);
    else this.#idle.push(connection);
  }

  closed(connection: WireConnection): void {
    this.#connections.delete(connection);
    const idleAt = this.#idle.indexOf(connection);
    if (idleAt !== -1) this.#idle.splice(idleAt, 1);
    if (this.#stopped || this.#options.pattern.kind !== 'closed loop') return;
    this.#connectAfter(RECONNECT_MS);
  }

  /** The delay protects a contestant that refuses every request from a flood of retries. */
  #connectAfter(ms: number): void {
    setTimeout(() => {
      if (!this.#stopped) this.#sendOn(this.#connect());
    }, ms);
  }

  #connect(): WireConnection {
    const connection = new WireConnection(this.#options.target, this);
    this.#connections.add(connection);
    return connection;
  }

  #sendOn(connection: WireConnection): void {
    const request = this.#requests[this.#sent % this.#requests.length];
    if (request === undefined) throw new RangeError('a load needs at least one body');
    this.#sent += 1;
    this.#open += 1;
    connection.send(request);
  }

  /** Calls at this rate, at most `maxCalls` times. A late timer makes up for the calls that it missed. */
  #atRate(perSecond: number, maxCalls: number, call: () => void): NodeJS.Timeout {
    const startedAt = performance.now();
    let made = 0;
    return setInterval(() => {
      const seconds = (performance.now() - startedAt) / 1_000;
      const due = Math.min(maxCalls, Math.floor(seconds * perSecond));
      for (; made < due; made += 1) call();
    }, TURN_MS);
  }
}
