import type { Cluster, Redis } from 'ioredis';
import type { StoreCall, Verdict } from '../../src/limiter/limit-store.ts';
import { readAdmitScript, scriptOf, type Script } from '../../src/redis/admit-script.ts';
import { RedisLimitStore } from '../../src/redis/redis-limit-store.ts';

const CLOCK_LINE = "local time = redis.call('TIME')";
const TEST_CLOCK_LINE =
  "local time = redis.call('HMGET', KEYS[1] .. ':clock', 'seconds', 'micros')";

/** The original script, except that it reads the time from a key beside the state and not from the clock of Redis. */
function clockedScript(): Script {
  const { text } = readAdmitScript();
  const parts = text.split(CLOCK_LINE);
  if (parts.length !== 2) throw new Error('the script must read the clock in exactly one line');
  return scriptOf(parts.join(TEST_CLOCK_LINE));
}

let organizations = 0;

/** The real store with a clock that the test sets. */
export class ClockedLimitStore {
  readonly #redis: Redis | Cluster;
  readonly #store: RedisLimitStore;
  readonly #namespace: string;

  constructor(redis: Redis | Cluster, namespace: string) {
    this.#redis = redis;
    this.#namespace = namespace;
    this.#store = new RedisLimitStore({
      redis,
      keyPrefix: `${namespace}:`,
      script: clockedScript(),
    });
  }

  /** A name that no other test uses. */
  newOrganization(): string {
    organizations += 1;
    return `${this.#namespace}-${organizations}`;
  }

  async decideAt(clock: number, call: StoreCall): Promise<readonly Verdict[]> {
    const [answer] = await this.decideTogetherAt(clock, [call]);
    if (answer === undefined) throw new Error('one call got no answer');
    return answer;
  }

  /** Decides calls of several organizations, sent together. */
  async decideTogetherAt(
    clock: number,
    calls: readonly StoreCall[],
  ): Promise<(readonly Verdict[])[]> {
    for (const { organization } of calls) await this.#setClock(organization, clock);
    return Promise.all(this.#store.decide(calls));
  }

  #setClock(organization: string, clock: number): Promise<number> {
    return this.#redis.hset(`${this.#store.keyOf(organization)}:clock`, {
      seconds: Math.floor(clock / 1000),
      // Includes a fraction of a millisecond, which decisions must ignore.
      micros: (clock % 1000) * 1001,
    });
  }

  /** Decides a single cost. */
  async decideOneAt(
    clock: number,
    call: Omit<StoreCall, 'costs'>,
    cost: StoreCall['costs'][number],
  ): Promise<Verdict> {
    const [verdict] = await this.decideAt(clock, { ...call, costs: [cost] });
    if (verdict === undefined) throw new Error('one cost got no verdict');
    return verdict;
  }

  stateOf(organization: string): Promise<Buffer | null> {
    return this.#redis.getBuffer(this.#store.keyOf(organization));
  }

  timeToLiveOf(organization: string): Promise<number> {
    return this.#redis.pttl(this.#store.keyOf(organization));
  }

  /** Deletes the state, as if it had expired. */
  async expire(organization: string): Promise<void> {
    await this.#redis.del(this.#store.keyOf(organization));
  }
}
