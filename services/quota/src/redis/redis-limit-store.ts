import type { Cluster, Redis } from 'ioredis';
import {
  NotExecutedError,
  type LimitStore,
  type StoreCall,
  type Verdict,
  MAX_COSTS_PER_CALL,
} from '../limiter/limit-store.ts';
import { readAdmitScript, readReply, scriptArguments, type Script } from './admit-script.ts';
import { isCluster } from './redis-client.ts';
import { storeFailure, UnusableStateError } from './store-errors.ts';

export interface RedisLimitStoreOptions {
  readonly redis: Redis | Cluster;
  /** Prefix of every key. */
  readonly keyPrefix: string;
  /** Tests replace the clock of the script. */
  readonly script?: Script;
}

/** A verdict for each cost, or undefined if the organization's stored state cannot be used. */
type Answer = readonly Verdict[] | undefined;

/** Keeps the state of each organization in one key of Redis, and decides with one Lua script. */
export class RedisLimitStore implements LimitStore {
  readonly #redis: Redis | Cluster;
  readonly #keyPrefix: string;
  readonly #script: Script;
  #maxOrganizationsPerCall: number;

  constructor({ redis, keyPrefix, script }: RedisLimitStoreOptions) {
    this.#redis = redis;
    // In a cluster, all keys of a script must be in one slot.
    // https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#implemented-subset
    this.#maxOrganizationsPerCall = isCluster(redis) ? 1 : MAX_ORGANIZATIONS_PER_CALL;
    this.#keyPrefix = keyPrefix;
    this.#script = script ?? readAdmitScript();
  }

  /** The braces are a hash tag: Redis Cluster chooses the slot by the organization alone. */
  keyOf(organization: string): string {
    return `${this.#keyPrefix}{${organization}}`;
  }

  /** Always true in a cluster: ioredis queues commands for a master while it connects to it. */
  get canSend(): boolean {
    return isCluster(this.#redis) || isWritable(this.#redis);
  }

  decide(calls: readonly StoreCall[]): readonly Promise<readonly Verdict[]>[] {
    const streams = this.#openStreams();
    // One system call for all commands instead of one for each.
    for (const stream of streams) stream.cork();
    const answers: Promise<readonly Verdict[]>[] = [];
    for (const together of groupIntoCalls(calls, this.#maxOrganizationsPerCall)) {
      const reply = this.#run(together);
      for (let place = 0; place < together.length; place += 1) {
        answers.push(reply.then((verdicts) => usable(verdicts[place])));
      }
    }
    for (const stream of streams) stream.uncork();
    return answers;
  }

  async #run(calls: readonly StoreCall[]): Promise<readonly Answer[]> {
    const keys = calls.map(({ organization }) => this.keyOf(organization));
    try {
      const reply = await this.#evaluate(scriptArguments(keys, calls));
      if (!Buffer.isBuffer(reply)) throw new TypeError('the reply of the script is not binary');
      return readReply(reply, calls);
    } catch (error) {
      if (!wasNotExecuted(error, 'CROSSSLOT')) throw error;
      // The address was set as that of a single server, but it belongs to a cluster.
      this.#maxOrganizationsPerCall = 1;
      return (await Promise.all(calls.map((call) => this.#run([call])))).flat();
    }
  }

  async #evaluate(values: (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await this.#redis.callBuffer('evalsha', this.#script.sha1, ...values);
    } catch (error) {
      if (isOfReplica(error)) throw new NotExecutedError('no master', { cause: error });
      if (!wasNotExecuted(error, 'NOSCRIPT')) throw error;
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

/** Whether the server is a replica. It refused the first write of the script, so nothing was charged. */
function isOfReplica(error: unknown): boolean {
  return storeFailure(error).reason === 'READONLY';
}

/**
 * Whether Redis answered with this error. It does so before it executes a script, so the call can safely be sent again.
 */
function wasNotExecuted(error: unknown, code: 'NOSCRIPT' | 'CROSSSLOT'): boolean {
  return error instanceof Error && error.message.startsWith(code);
}

function usable(verdicts: Answer): readonly Verdict[] {
  if (verdicts === undefined) throw new UnusableStateError('the stored value is no limiter state');
  return verdicts;
}

/** More organizations in one call would save little, and the answer for each has to wait until all are decided. */
const MAX_ORGANIZATIONS_PER_CALL = 16;

/**
 * Groups calls for the script, in order. A group has at most `maxOrganizationsPerCall` organizations, each once, and
 * at most `MAX_COSTS_PER_CALL` costs, unless a single call has more.
 */
export function groupIntoCalls(
  calls: readonly StoreCall[],
  maxOrganizationsPerCall = MAX_ORGANIZATIONS_PER_CALL,
): StoreCall[][] {
  const parts: StoreCall[][] = [];
  let part: StoreCall[] = [];
  let costs = 0;
  for (const call of calls) {
    costs += call.costs.length;
    const isFull = part.length === maxOrganizationsPerCall || costs > MAX_COSTS_PER_CALL;
    if (parts.length === 0 || isFull || holds(part, call)) {
      part = [];
      parts.push(part);
      costs = call.costs.length;
    }
    part.push(call);
  }
  return parts;
}

/** An organization must be in a group only once: the script would decide both of its calls from the same state. */
function holds(part: readonly StoreCall[], { organization }: StoreCall): boolean {
  return part.some((other) => other.organization === organization);
}
