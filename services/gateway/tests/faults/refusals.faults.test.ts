import { Agent, request } from 'node:http';
import { useLeakCheck, useNats, useRedis, waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fleet, MODEL, type FleetMember } from './fleet.ts';

useLeakCheck({ timeoutMs: 10_000 });
const nats = useNats({ own: true });
const redis = useRedis({ own: true });

/** Requests a second, one after another, to each gateway in turn. */
const RATE = 100;
const FEWEST = 5;
/** After this time, a client gives up a frozen gateway. */
const CLIENT_TIMEOUT_MS = 3_000;
/** The organizations that send requests in turn. Each replica of quota decides for some of them. */
const TENANTS = 8;

type Ending = 'served' | 'refused' | 'broken';

interface Asked {
  readonly gateway: FleetMember;
  readonly sentAt: number;
  ending: Ending | undefined;
}

/** A steady load of requests for a model's description. They need the catalog and quota, but no worker. */
class ModelLoad implements AsyncDisposable {
  readonly #asked: Asked[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #answers: Promise<void>[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(gateways: readonly FleetMember[], keys: readonly string[]) {
    this.#timer = setInterval(() => {
      const number = this.#asked.length;
      const gateway = gateways[number % gateways.length];
      const key = keys[Math.floor(number / gateways.length) % keys.length];
      if (gateway === undefined || key === undefined) throw new Error('nothing to ask with');
      const asked: Asked = { gateway, sentAt: performance.now(), ending: undefined };
      this.#asked.push(asked);
      this.#answers.push(this.#read(asked, key));
    }, 1_000 / RATE);
  }

  /** Waits until the given number of further requests is served. */
  async serves(requests: number): Promise<void> {
    const served = this.#count('served');
    await waitUntil(() => this.#count('served') >= served + requests, {
      what: 'a steady load',
      timeoutMs: 30_000,
    });
  }

  /** The requests sent after a moment. */
  since(moment: number): readonly Asked[] {
    return this.#asked.filter(({ sentAt }) => sentAt >= moment);
  }

  /** Ends the load and waits for the outstanding answers. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#answers);
    this.#agent.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #count(ending: Ending): number {
    return this.#asked.filter((asked) => asked.ending === ending).length;
  }

  #read(asked: Asked, key: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (ending: Ending) => {
      asked.ending ??= ending;
      resolve();
    };
    const call = request(`${asked.gateway.url}/compat/v1/models/${MODEL}`, {
      agent: this.#agent,
      headers: { authorization: `Bearer ${key}` },
      timeout: CLIENT_TIMEOUT_MS,
    });
    call.on('response', (reply) => {
      reply.resume();
      reply.on('end', () => end(reply.statusCode === 200 ? 'served' : 'refused'));
      reply.on('error', () => end('broken'));
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => end('broken'));
    call.end();
    return promise;
  }
}

let fleet: Fleet;
const keys: string[] = [];
beforeAll(async () => {
  fleet = await Fleet.start({
    natsUrl: nats.url,
    redisUrl: redis.url,
    gateways: 2,
    quotas: 2,
    catalogs: 2,
    runtimes: [],
    calledSettings: { REDIS_DEADLINE_MS: '100' },
    gatewaySettings: {
      QUOTA_DEADLINE_MS: '150',
      CATALOG_DEADLINE_MS: '1000',
      // Short, so that the catalog is asked all the time.
      CATALOG_CACHE_MS: '300',
    },
  });
  while (keys.length < TENANTS) keys.push((await fleet.tenant()).key);
});
afterAll(() => fleet[Symbol.asyncDispose]());

const KINDS = ['quotas', 'catalogs', 'gateways'] as const;
const SIGNALS = ['SIGKILL', 'SIGSTOP'] as const;

it.each(KINDS.flatMap((kind) => SIGNALS.map((signal) => [kind, signal] as const)))(
  'one of two %s that gets %s makes the gateways refuse almost no request',
  async (kind, signal) => {
    const lost = fleet[kind][0];
    if (lost === undefined) throw new Error('there are two of each');
    await using load = new ModelLoad(fleet.gateways, keys);
    await load.serves(RATE);
    const faultAt = performance.now();
    if (signal === 'SIGKILL') await lost.process.end('SIGKILL');
    else await lost.process.freeze();
    await load.serves(3 * RATE);
    if (signal === 'SIGKILL') await lost.process.start();
    else lost.process.thaw();
    await load.serves(RATE);
    await load.stop();
    const asked = load.since(faultAt);
    const refused = asked.filter(({ ending }) => ending === 'refused');
    const broken = asked.filter(({ ending }) => ending === 'broken');
    expect(refused.length).toBeLessThan(FEWEST);
    // Only connections to the lost gateway may break.
    expect(broken.filter(({ gateway }) => gateway !== lost)).toEqual([]);
  },
);
