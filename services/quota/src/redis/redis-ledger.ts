import type { Cluster, Redis } from 'ioredis';
import type { Ledger, LedgerCall, Verdict } from '../domain/ledger.ts';
import { readAdmitScript, readReply, scriptArguments, type Script } from './admit-script.ts';

export interface RedisLedgerOptions {
  readonly redis: Redis | Cluster;
  /** Comes before every key. */
  readonly keyPrefix: string;
  /** Tests give the same script with another clock. */
  readonly script?: Script;
}

/** Keeps every organization's limits under one key of Redis, decided by one script. */
export class RedisLedger implements Ledger {
  readonly #redis: Redis | Cluster;
  readonly #keyPrefix: string;
  readonly #script: Script;

  constructor({ redis, keyPrefix, script }: RedisLedgerOptions) {
    this.#redis = redis;
    this.#keyPrefix = keyPrefix;
    this.#script = script ?? readAdmitScript();
  }

  /** The braces make Redis Cluster place the key by the organization alone. */
  keyOf(organization: string): string {
    return `${this.#keyPrefix}{${organization}}`;
  }

  decide(calls: readonly LedgerCall[]): readonly Promise<readonly Verdict[]>[] {
    const streams = this.#openStreams();
    // One system call for all that leave now, instead of one for each.
    for (const stream of streams) stream.cork();
    const answers = calls.map((call) => this.#run(call));
    for (const stream of streams) stream.uncork();
    return answers;
  }

  async #run(call: LedgerCall): Promise<readonly Verdict[]> {
    const values = scriptArguments(this.keyOf(call.organization), call);
    const reply = await this.#evaluate(values);
    if (!Buffer.isBuffer(reply)) throw new TypeError('the script replied with no bytes');
    return readReply(reply, call.costs.length);
  }

  async #evaluate(values: (string | number)[]): Promise<unknown> {
    try {
      return await this.#redis.callBuffer('evalsha', this.#script.sha1, ...values);
    } catch (error) {
      // The only failure after which sending again is safe: the store says that it ran nothing.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.#redis.callBuffer('eval', this.#script.text, ...values);
    }
  }

  #openStreams(): Redis['stream'][] {
    const connections = 'nodes' in this.#redis ? this.#redis.nodes('master') : [this.#redis];
    return connections.filter(({ status }) => status === 'ready').map(({ stream }) => stream);
  }
}
