import type { Cluster, Redis } from 'ioredis';
import type { LedgerCall, Verdict } from '../../src/domain/ledger.ts';
import { readAdmitScript, scriptOf, type Script } from '../../src/redis/admit-script.ts';
import { RedisLedger } from '../../src/redis/redis-ledger.ts';

const CLOCK_LINE = "local time = redis.call('TIME')";
const TEST_CLOCK_LINE =
  "local time = redis.call('HMGET', KEYS[1] .. ':clock', 'seconds', 'micros')";

/** The script as it ships, with its clock line alone replaced: it reads the time from beside the state. */
function clockedScript(): Script {
  const { text } = readAdmitScript();
  const parts = text.split(CLOCK_LINE);
  if (parts.length !== 2) throw new Error('the clock is not read by exactly one line');
  return scriptOf(parts.join(TEST_CLOCK_LINE));
}

let organizations = 0;

/** A real store with a clock that the test sets. */
export class ClockedLedger {
  readonly #redis: Redis | Cluster;
  readonly #ledger: RedisLedger;
  readonly #namespace: string;

  constructor(redis: Redis | Cluster, namespace: string) {
    this.#redis = redis;
    this.#namespace = namespace;
    this.#ledger = new RedisLedger({
      redis,
      keyPrefix: `${namespace}:`,
      script: clockedScript(),
    });
  }

  /** A name that no other test has used. */
  newOrganization(): string {
    organizations += 1;
    return `${this.#namespace}-${organizations}`;
  }

  async decideAt(clock: number, call: LedgerCall): Promise<readonly Verdict[]> {
    const [answer] = await this.decideTogetherAt(clock, [call]);
    if (answer === undefined) throw new Error('one call got no answer');
    return answer;
  }

  /** Calls of several organizations that are sent at once. */
  async decideTogetherAt(
    clock: number,
    calls: readonly LedgerCall[],
  ): Promise<(readonly Verdict[])[]> {
    for (const { organization } of calls) await this.#setClock(organization, clock);
    return Promise.all(this.#ledger.decide(calls));
  }

  #setClock(organization: string, clock: number): Promise<number> {
    return this.#redis.hset(`${this.#ledger.keyOf(organization)}:clock`, {
      seconds: Math.floor(clock / 1000),
      // Some part of a millisecond, which no decision looks at.
      micros: (clock % 1000) * 1001,
    });
  }

  /** The one verdict of one cost. */
  async decideOneAt(
    clock: number,
    call: Omit<LedgerCall, 'costs'>,
    cost: LedgerCall['costs'][number],
  ): Promise<Verdict> {
    const [verdict] = await this.decideAt(clock, { ...call, costs: [cost] });
    if (verdict === undefined) throw new Error('one cost got no verdict');
    return verdict;
  }

  stateOf(organization: string): Promise<Buffer | null> {
    return this.#redis.getBuffer(this.#ledger.keyOf(organization));
  }

  timeToLiveOf(organization: string): Promise<number> {
    return this.#redis.pttl(this.#ledger.keyOf(organization));
  }

  /** What expiry would do, without the wait. */
  async expire(organization: string): Promise<void> {
    await this.#redis.del(this.#ledger.keyOf(organization));
  }
}
