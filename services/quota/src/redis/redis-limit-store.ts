import type { Cluster, Redis } from 'ioredis';
import { NothingRanError, type Ledger, type LedgerCall, type Verdict } from '../domain/ledger.ts';
import { readAdmitScript, readReply, scriptArguments, type Script } from './admit-script.ts';
import { MOST_TOGETHER, divideCalls } from './divide-calls.ts';
import { isCluster } from './redis-client.ts';
import { storeFailure, UnusableStateError } from './store-failure.ts';

export interface RedisLedgerOptions {
  readonly redis: Redis | Cluster;
  /** Comes before every key. */
  readonly keyPrefix: string;
  /** Tests give the same script with another clock. */
  readonly script?: Script;
}

/** A verdict for each cost, or undefined where the organization's state cannot be used. */
type Answer = readonly Verdict[] | undefined;

/** Keeps every organization's limits under one key of Redis, decided by one script. */
export class RedisLedger implements Ledger {
  readonly #redis: Redis | Cluster;
  readonly #keyPrefix: string;
  readonly #script: Script;
  #mostTogether: number;

  constructor({ redis, keyPrefix, script }: RedisLedgerOptions) {
    this.#redis = redis;
    // In a cluster a script sees keys of one place alone.
    this.#mostTogether = isCluster(redis) ? 1 : MOST_TOGETHER;
    this.#keyPrefix = keyPrefix;
    this.#script = script ?? readAdmitScript();
  }

  /** The braces make Redis Cluster place the key by the organization alone. */
  keyOf(organization: string): string {
    return `${this.#keyPrefix}{${organization}}`;
  }

  /** The client of a cluster keeps what it has for a master that it is connecting to. */
  get canSend(): boolean {
    return isCluster(this.#redis) || isWritable(this.#redis);
  }

  decide(calls: readonly LedgerCall[]): readonly Promise<readonly Verdict[]>[] {
    const streams = this.#openStreams();
    // One system call for all that leave now, instead of one for each.
    for (const stream of streams) stream.cork();
    const answers: Promise<readonly Verdict[]>[] = [];
    for (const together of divideCalls(calls, this.#mostTogether)) {
      const reply = this.#run(together);
      for (let place = 0; place < together.length; place += 1) {
        answers.push(reply.then((verdicts) => usable(verdicts[place])));
      }
    }
    for (const stream of streams) stream.uncork();
    return answers;
  }

  async #run(calls: readonly LedgerCall[]): Promise<readonly Answer[]> {
    const keys = calls.map(({ organization }) => this.keyOf(organization));
    try {
      const reply = await this.#evaluate(scriptArguments(keys, calls));
      if (!Buffer.isBuffer(reply)) throw new TypeError('the script replied with no bytes');
      return readReply(reply, calls);
    } catch (error) {
      if (!saysNothingRan(error, 'CROSSSLOT')) throw error;
      // A cluster behind the address of a single server.
      this.#mostTogether = 1;
      return (await Promise.all(calls.map((call) => this.#run([call])))).flat();
    }
  }

  async #evaluate(values: (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await this.#redis.callBuffer('evalsha', this.#script.sha1, ...values);
    } catch (error) {
      if (isOfReplica(error)) throw new NothingRanError('no master', { cause: error });
      if (!saysNothingRan(error, 'NOSCRIPT')) throw error;
      return this.#redis.callBuffer('eval', this.#script.text, ...values);
    }
  }

  #openStreams(): Redis['stream'][] {
    const connections = isCluster(this.#redis) ? this.#redis.nodes('master') : [this.#redis];
    return connections.filter(({ status }) => status === 'ready').map(({ stream }) => stream);
  }
}

function isWritable({ status, stream }: Redis): boolean {
  return status === 'ready' && stream.writable;
}

/** The script's first write was refused, and what writes nothing charges nothing: the connection is left for a master. */
function isOfReplica(error: unknown): boolean {
  return storeFailure(error).reason === 'READONLY';
}

/** Other failures after which sending again is safe: the store says that it ran nothing. */
function saysNothingRan(error: unknown, code: 'NOSCRIPT' | 'CROSSSLOT'): boolean {
  return error instanceof Error && error.message.startsWith(code);
}

function usable(verdicts: Answer): readonly Verdict[] {
  if (verdicts === undefined) throw new UnusableStateError('no state of this limiter');
  return verdicts;
}
