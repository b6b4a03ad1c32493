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

/** The verdicts on all costs of a call. Undefined if the organization's stored state cannot be used. */
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

  /**
   * Always true in a cluster, because the other masters may be connected. ioredis rejects a command for a master that
   * is not.
   */
  get canSend(): boolean {
    return isCluster(this.#redis) || isWritable(this.#redis);
  }

  decide(calls: readonly StoreCall[]): readonly Promise<readonly Verdict[]>[] {
    const streams = this.#openStreams();
    // All commands are written to a socket in one system call, instead of one for each command.
    for (const stream of streams) stream.cork();
    const answers: Promise<readonly Verdict[]>[] = [];
    for (const group of groupIntoCalls(calls, this.#maxOrganizationsPerCall)) {
      const reply = this.#run(group);
      for (let index = 0; index < group.length; index += 1) {
        answers.push(reply.then((verdicts) => requireUsable(verdicts[index])));
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
      // REDIS_MODE says that this is a single server, but it is a node of a cluster.
      this.#maxOrganizationsPerCall = 1;
      return (await Promise.all(calls.map((call) => this.#run([call])))).flat();
    }
  }

  async #evaluate(values: (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await this.#redis.callBuffer('evalsha', this.#script.sha1, ...values);
    } catch (error) {
      if (wasNotExecuted(error, 'NOSCRIPT')) return this.#evaluateText(values);
      if (isOfReplica(error)) throw new NotExecutedError('no master', { cause: error });
      throw error;
    }
  }

  /** Sends the script itself, which Redis then keeps. */
  async #evaluateText(values: (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await this.#redis.callBuffer('eval', this.#script.text, ...values);
    } catch (error) {
      if (isOfReplica(error)) throw new NotExecutedError('no master', { cause: error });
      throw error;
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

/**
 * Whether the error came from a replica, which refused the first write of the script. Nothing was charged.
 * https://redis.io/docs/latest/develop/reference/errors/common/readonly/
 */
function isOfReplica(error: unknown): boolean {
  return storeFailure(error).reason === 'READONLY';
}

/**
 * Whether Redis answered with this error, which it does before it executes a script. Nothing was charged, so the call
 * can be sent again.
 */
function wasNotExecuted(error: unknown, code: 'NOSCRIPT' | 'CROSSSLOT'): boolean {
  return error instanceof Error && error.message.startsWith(code);
}

function requireUsable(verdicts: Answer): readonly Verdict[] {
  if (verdicts === undefined) throw new UnusableStateError('the stored value is no limiter state');
  return verdicts;
}

/** More organizations in one call would save little, and every answer would have to wait until all are decided. */
const MAX_ORGANIZATIONS_PER_CALL = 16;

/**
 * Groups calls for the script, in order. A group has at most `maxOrganizationsPerCall` organizations, each once, and
 * at most `MAX_COSTS_PER_CALL` costs, unless a single call has more.
 */
export function groupIntoCalls(
  calls: readonly StoreCall[],
  maxOrganizationsPerCall = MAX_ORGANIZATIONS_PER_CALL,
): StoreCall[][] {
  const groups: StoreCall[][] = [];
  let group: StoreCall[] = [];
  let costs = 0;
  for (const call of calls) {
    costs += call.costs.length;
    const isFull = group.length === maxOrganizationsPerCall || costs > MAX_COSTS_PER_CALL;
    if (groups.length === 0 || isFull || includesOrganization(group, call)) {
      group = [];
      groups.push(group);
      costs = call.costs.length;
    }
    group.push(call);
  }
  return groups;
}

/** An organization must be in a group only once: the script would decide both of its calls from the same state. */
function includesOrganization(group: readonly StoreCall[], { organization }: StoreCall): boolean {
  return group.some((other) => other.organization === organization);
}
