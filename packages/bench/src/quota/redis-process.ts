import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { LimitName } from '@sluice/contracts';
import { serveDriver, type Running } from '../driver/driver-process.ts';
import { TimingList, type Timings } from '../measure/timings.ts';
import { ROOT } from '../programs/repository.ts';
import { Arrivals } from './arrivals.ts';
import { drawOrganizations, organizationName } from './organizations.ts';
import {
  COST,
  LIMITS,
  REVISION,
  SAMPLED,
  TURN_MS,
  type DecisionState,
  type RedisOptions,
} from './quota-options.ts';

const SCRIPT = readFileSync(join(ROOT, 'services/quota/src/redis/admit.lua'), 'utf8');
const SHA1 = createHash('sha1').update(SCRIPT).digest('hex');
/** Distinct calls prepared beforehand, so that the client only writes them. */
const PREPARED = 4_096;
const CONNECTIONS = 4;
/** A reply has this many bytes for the whole call and this many for each admission. */
const HEAD_BYTES = 9;
const ADMITTED_BYTES = 33;
/** The first byte of a bulk string: https://redis.io/docs/latest/develop/reference/protocol-spec/#bulk-strings. */
const BEGIN_OF_REPLY = '$'.charCodeAt(0);

/** A command in the protocol of Redis. */
function encode(words: readonly (string | Buffer)[]): Buffer {
  const parts = words.flatMap((word) => {
    const bytes = Buffer.from(word);
    return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')];
  });
  return Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...parts]);
}

interface CallEvents {
  readonly onReady: (connection: ScriptConnection) => void;
  /** Called when calls were answered, with their number. Calls are answered in the order in which they were sent. */
  readonly onReplies: (connection: ScriptConnection, count: number) => void;
}

/** One connection that calls the script. Every reply has the same length. */
class ScriptConnection {
  readonly #socket: Socket;
  readonly #calls: readonly Buffer[];
  readonly #events: CallEvents;
  readonly #replyBytes: number;
  #next = 0;
  #received = 0;
  replies = 0;
  failure: string | undefined;

  constructor(calls: readonly Buffer[], { port, together }: RedisOptions, events: CallEvents) {
    this.#calls = calls;
    this.#events = events;
    const body = HEAD_BYTES + together * ADMITTED_BYTES;
    this.#replyBytes = `$${body}\r\n`.length + body + 2;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('error', () => undefined);
    this.#socket.once('data', () => {
      // This was the reply to loading the script. All further data are replies to calls.
      this.#socket.on('data', (bytes) => this.#read(bytes));
      events.onReady(this);
    });
    this.#socket.write(encode(['SCRIPT', 'LOAD', SCRIPT]));
  }

  send(count: number): void {
    this.#socket.cork();
    for (let sent = 0; sent < count; sent += 1) {
      const call = this.#calls[this.#next % this.#calls.length];
      this.#next += 1;
      if (call !== undefined) this.#socket.write(call);
    }
    this.#socket.uncork();
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once('close', () => resolve());
    this.#socket.destroy();
    await promise;
  }

  #read(bytes: Buffer): void {
    // Position at which the next reply must begin. An error, or a clock that was set back, changes the length of a
    // reply.
    const next = (this.#replyBytes - (this.#received % this.#replyBytes)) % this.#replyBytes;
    if (next < bytes.length && bytes[next] !== BEGIN_OF_REPLY) {
      this.failure = `an unexpected reply: ${bytes.toString('latin1', next, next + 80)}`;
      this.#socket.destroy();
      return;
    }
    this.#received += bytes.length;
    const replies = Math.floor(this.#received / this.#replyBytes);
    const answered = replies - this.replies;
    this.replies = replies;
    if (answered > 0) this.#events.onReplies(this, answered);
  }
}

/** Calls at a fixed rate on one connection, with their latencies. */
class DueCalls {
  readonly times = new TimingList();
  readonly #perSecond: number;
  readonly #unanswered: { count: number; readonly since: number }[] = [];
  #turn: NodeJS.Timeout | undefined;
  #answered = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  start(connection: ScriptConnection): void {
    const arrivals = new Arrivals(this.#perSecond, performance.now());
    this.#turn = setInterval(() => {
      const groups = arrivals.take(performance.now());
      this.#unanswered.push(...groups.map((group) => ({ ...group })));
      connection.send(groups.reduce((sum, { count }) => sum + count, 0));
    }, TURN_MS);
  }

  /** Replies arrive in the order of the calls. */
  answered(count: number): void {
    const now = performance.now();
    for (let left = count; left > 0; left -= 1) {
      const [oldest] = this.#unanswered;
      if (oldest === undefined) return;
      if (this.#answered % SAMPLED === 0) this.times.add(oldest.since, now - oldest.since);
      this.#answered += 1;
      oldest.count -= 1;
      if (oldest.count === 0) this.#unanswered.shift();
    }
  }

  stop(): void {
    clearInterval(this.#turn);
  }
}

const NO_TIMES: Timings = { begunAtMs: [], tookMs: [] };

/** The order of the script's arguments. */
const SCRIPT_ORDER: readonly LimitName[] = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
];

function prepareCalls({ organizations, together }: RedisOptions): Buffer[] {
  const draws = drawOrganizations(organizations, Math.random);
  const limits = SCRIPT_ORDER.map((name) => LIMITS[name]);
  const costs = Array.from({ length: together }, () => [COST.requests, COST.tokens]).flat();
  const numbers = Float64Array.of(REVISION.epoch, REVISION.sequence, ...limits, together, ...costs);
  return Array.from({ length: PREPARED }, (_, index) =>
    encode([
      'EVALSHA',
      SHA1,
      '1',
      `bare:{${organizationName(draws[index] ?? 0)}}`,
      Buffer.from(numbers.buffer),
    ]),
  );
}

function start(options: RedisOptions): Running<DecisionState> {
  const calls = prepareCalls(options);
  const { pattern } = options;
  const dueCalls = pattern.kind === 'arrivals' ? new DueCalls(pattern.perSecond) : undefined;
  const events: CallEvents = {
    onReady: (connection) => {
      if (pattern.kind === 'in flight') connection.send(pattern.count);
      else dueCalls?.start(connection);
    },
    onReplies: (connection, count) => {
      if (dueCalls === undefined) connection.send(count);
      else dueCalls.answered(count);
    },
  };
  const connections = Array.from(
    { length: dueCalls === undefined ? CONNECTIONS : 1 },
    () => new ScriptConnection(calls, options, events),
  );
  return {
    read: () => {
      const failed = connections.find(({ failure }) => failure !== undefined);
      if (failed !== undefined) throw new Error(failed.failure);
      const replies = connections.reduce((sum, connection) => sum + connection.replies, 0);
      return {
        decided: replies * options.together,
        admissions: dueCalls?.times.take() ?? NO_TIMES,
        undecided: NO_TIMES,
      };
    },
    stop: async () => {
      dueCalls?.stop();
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

serveDriver<RedisOptions, DecisionState>(start);
