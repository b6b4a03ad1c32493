import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { LIMIT_NAMES } from '@sluice/contracts';
import { serveDriver, type Running } from '../driver/driver-process.ts';
import type { Timings } from '../measure/timings.ts';
import { ROOT } from '../programs/repository.ts';
import { drawOrganizations, organizationName } from './organizations.ts';
import { COST, LIMITS, REVISION, type DecisionState, type RedisOrder } from './quota-order.ts';

const SCRIPT = readFileSync(join(ROOT, 'services/quota/src/redis/admit.lua'), 'utf8');
const SHA1 = createHash('sha1').update(SCRIPT).digest('hex');
/** Distinct calls made beforehand, so that the client does nothing but write them. */
const PREPARED = 4_096;
const HEADER_BYTES = 48;
const DECISION_BYTES = 47;

function encode(words: readonly (string | number)[]): Buffer {
  const parts = words.map((word) => {
    const text = String(word);
    return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
  });
  return Buffer.from(`*${words.length}\r\n${parts.join('')}`);
}

/** One connection that keeps so many calls unanswered. Every reply has the same length. */
class PipelinedCalls {
  readonly #socket: Socket;
  readonly #calls: readonly Buffer[];
  readonly #replyBytes: number;
  #next = 0;
  #received = 0;
  replies = 0;
  failure: string | undefined;

  constructor(calls: readonly Buffer[], { port, pipelined, together }: RedisOrder) {
    this.#calls = calls;
    const body = HEADER_BYTES + together * DECISION_BYTES;
    this.#replyBytes = `$${body}\r\n`.length + body + 2;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('error', () => undefined);
    this.#socket.once('data', () => {
      // The answer to loading the script: from here on there are replies alone.
      this.#socket.on('data', (bytes) => this.#read(bytes));
      this.#send(pipelined);
    });
    this.#socket.write(encode(['SCRIPT', 'LOAD', SCRIPT]));
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once('close', () => resolve());
    this.#socket.destroy();
    await promise;
  }

  #read(bytes: Buffer): void {
    if (bytes[0] === 0x2d && this.#received % this.#replyBytes === 0) {
      this.failure = bytes.toString('latin1', 0, 80);
      this.#socket.destroy();
      return;
    }
    this.#received += bytes.length;
    const replies = Math.floor(this.#received / this.#replyBytes);
    const answered = replies - this.replies;
    this.replies = replies;
    if (answered > 0) this.#send(answered);
  }

  #send(count: number): void {
    this.#socket.cork();
    for (let sent = 0; sent < count; sent += 1) {
      const call = this.#calls[this.#next % this.#calls.length];
      this.#next += 1;
      if (call !== undefined) this.#socket.write(call);
    }
    this.#socket.uncork();
  }
}

const NO_TIMES: Timings = { begunAtMs: [], tookMs: [] };

function prepareCalls({ organizations, together }: RedisOrder): Buffer[] {
  const draws = drawOrganizations(organizations, Math.random);
  const limits = LIMIT_NAMES.map((name) => LIMITS[name]);
  const costs = Array.from({ length: together }, () => [COST.requests, COST.tokens]).flat();
  return Array.from({ length: PREPARED }, (_, index) =>
    encode([
      'EVALSHA',
      SHA1,
      1,
      `bare:{${organizationName(draws[index] ?? 0)}}`,
      REVISION.epoch,
      REVISION.sequence,
      ...limits,
      ...costs,
    ]),
  );
}

function start(order: RedisOrder): Running<DecisionState> {
  const calls = prepareCalls(order);
  const connections = Array.from(
    { length: order.connections },
    () => new PipelinedCalls(calls, order),
  );
  return {
    look: () => {
      const failed = connections.find(({ failure }) => failure !== undefined);
      if (failed !== undefined) throw new Error(failed.failure);
      const replies = connections.reduce((sum, connection) => sum + connection.replies, 0);
      return { decided: replies * order.together, admissions: NO_TIMES, undecided: NO_TIMES };
    },
    stop: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

serveDriver<RedisOrder, DecisionState>(start);
