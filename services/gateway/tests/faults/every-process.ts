import {
  useLeakCheck,
  useNats,
  useRedis,
  waitUntil,
  type OwnServerForTests,
  type ServiceProcess,
} from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CompletionClient, type Reply } from './completion-client.ts';
import { Fleet, startRuntime, type Tenant } from './fleet.ts';
import type { Ending } from './judge-reply.ts';

export type Target = 'worker' | 'runtime' | 'redis' | 'gateway' | 'quota' | 'catalog' | 'nats';

const FAULTS = [
  { name: 'SIGTERM', signal: 'SIGTERM', frozenMs: 0 },
  { name: 'SIGKILL', signal: 'SIGKILL', frozenMs: 0 },
  { name: 'SIGSTOP for 3 s', signal: 'SIGSTOP', frozenMs: 3_000 },
  { name: 'SIGSTOP for 15 s', signal: 'SIGSTOP', frozenMs: 15_000 },
] as const;
type Fault = (typeof FAULTS)[number];

/** When a request is sent. A request that is `under way` was sent before the fault and has not ended. */
type When = 'under way' | 'during' | 'after';
const CLIENTS: Readonly<Record<When, number>> = { 'under way': 24, during: 12, after: 12 };
/** How many of the 12 streams in progress are mid-answer when the fault strikes. */
const BEGUN_STREAMS = 6;
/** How long a request may take to end, counted from the end of the fault. */
const DEADLINE_MS = 30_000;
/** How long after all processes are ready some requests may still be refused. */
const RECOVERY_MS = 15_000;

/** Two of three requests are mid-answer, and one waits for its first token. */
const STEERING = [
  { tokens: 50, reasoning: 8, ttft_ms: 20, itl_ms: 30 },
  { tokens: 10, reasoning: 3, ttft_ms: 1_200, itl_ms: 20 },
  { tokens: 70, reasoning: 0, ttft_ms: 50, itl_ms: 20 },
] as const;
const SHORT_STEERING = { tokens: 20, reasoning: 3, ttft_ms: 20, itl_ms: 5 };

interface Asked {
  readonly client: CompletionClient;
  readonly when: When;
  readonly gateway: number;
}

interface Ended extends Asked {
  readonly reply: Reply;
}

/** The process that the fault strikes: the first one of its kind. */
interface Victim {
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Call it once the process has ended. */
  restart(): Promise<void>;
}

let fleet: Fleet;
let tenant: Tenant;
let asked = 0;

/**
 * Tests every fault on these processes, with requests in progress on both gateways, streamed and not. Each answer is
 * compared with the known answer of the simulator. An answer that looks whole but is not, a token that is missing or
 * duplicated, and a request without an end by its deadline all count as `wrong`.
 */
export function describeEveryFault(targets: readonly Target[]): void {
  useLeakCheck({ timeoutMs: 10_000 });
  const nats = useNats({ own: true });
  const redis = useRedis({ own: true });
  const stack = new AsyncDisposableStack();
  let victims: Readonly<Record<Target, () => Victim>>;

  beforeAll(async () => {
    const runtimes = await Promise.all([1, 2].map(async () => startRuntime()));
    for (const { process } of runtimes) stack.use(process);
    fleet = stack.use(
      await Fleet.start({
        natsUrl: nats.url,
        redisUrl: redis.url,
        gateways: 2,
        quotas: 2,
        catalogs: 2,
        runtimes: runtimes.map(({ url }) => url),
        // With limits, so that each request needs a decision of Redis.
        limits: { requests_per_minute: 1_000_000, tokens_per_minute: 1_000_000_000 },
        workerSettings: { SLOTS: '24', STALL_TIMEOUT_MS: '6000', FIRST_WORD_TIMEOUT_MS: '8000' },
        gatewaySettings: { DRAIN_ANNOUNCE_MS: '500' },
      }),
    );
    await fleet.offersTo(2);
    tenant = await fleet.tenant();
    victims = {
      worker: () => processAsVictim(fleet.workers[0]?.process),
      runtime: () => processAsVictim(runtimes[0]?.process),
      redis: () => serverAsVictim(redis),
      gateway: () => processAsVictim(fleet.gateways[0]?.process),
      quota: () => processAsVictim(fleet.quotas[0]?.process),
      catalog: () => processAsVictim(fleet.catalogs[0]?.process),
      nats: () => serverAsVictim(nats),
    };
  });
  afterAll(async () => {
    await stack.disposeAsync();
  });

  describe.each(targets)('the %s', (target) => {
    test.each(FAULTS)('gets $name', async (fault) => {
      const underWay = ask('under way');
      await waitUntil(
        () => underWay.filter(({ client }) => client.pieces > 0).length >= BEGUN_STREAMS,
        { what: 'streams to have begun' },
      );
      const victim = victims[target]();
      const during: Asked[] = [];
      const struckAt = performance.now();
      try {
        if (fault.signal === 'SIGSTOP') await victim.freeze();
        else await victim.end(fault.signal);
        during.push(...ask('during'));
        if (fault.signal === 'SIGSTOP') {
          await waitUntil(() => performance.now() >= struckAt + fault.frozenMs, {
            what: 'the end of the freeze',
            timeoutMs: fault.frozenMs + 5_000,
          });
        }
      } finally {
        if (fault.signal === 'SIGSTOP') await victim.thaw();
        else await victim.restart();
      }
      const ended = await endsOf([...underWay, ...during]);
      await recovered();
      await waitUntil(
        async () => {
          const wave = await endsOf(ask('after'));
          ended.push(...wave);
          return wave.every(({ reply }) => reply.ending === 'whole');
        },
        { what: 'every request to be answered again', timeoutMs: RECOVERY_MS },
      );
      const unexpected = ended
        .filter((one) => !allowedEndings(target, fault, one).includes(one.reply.ending))
        .map(({ client, gateway, reply }) => ({
          request: `${client.name}, ${client.stream ? 'streamed' : 'whole'}, gateway ${gateway + 1}`,
          ending: `${reply.ending}: ${reply.detail}`,
        }));
      expect(unexpected).toEqual([]);
    });
  });
}

function ask(when: When): Asked[] {
  return Array.from({ length: CLIENTS[when] }, (_, index) => {
    const gateway = index % 2;
    asked += 1;
    const client = new CompletionClient({
      url: fleet.gateways[gateway]?.url ?? '',
      key: tenant.key,
      name: `request ${asked}, ${when}`,
      steering: (when === 'after' ? undefined : STEERING[index % 3]) ?? SHORT_STEERING,
      stream: Math.floor(index / 2) % 2 === 0,
    });
    return { client, when, gateway };
  });
}

async function endsOf(clients: readonly Asked[]): Promise<Ended[]> {
  const deadline = performance.now() + DEADLINE_MS;
  return Promise.all(
    clients.map(async (one) => ({ ...one, reply: await endBy(deadline, one.client) })),
  );
}

/** The reply at its deadline. A reply without an end by then is `wrong`. */
async function endBy(deadline: number, client: CompletionClient): Promise<Reply> {
  const isOver = () => client.isOver;
  const timeoutMs = Math.max(1, deadline - performance.now());
  try {
    await waitUntil(isOver, { what: 'the end of a reply', timeoutMs });
    return await client.ended;
  } catch {
    client.leave();
    return { ...(await client.ended), ending: 'wrong', detail: 'no end by the deadline' };
  }
}

const FAILED: readonly Ending[] = ['whole', 'http error', 'error event'];

/** How a request may end. Only a stream can end with an error event. */
function allowedEndings(
  target: Target,
  { signal, frozenMs }: Fault,
  { when, gateway, client }: Asked,
): readonly Ending[] {
  const isUnderWay = when === 'under way';
  if (when === 'after') return ['whole', 'http error'];
  // A heartbeat is valid for 3.5 s. If the last one came up to a second before the freeze, no worker is known at the
  // end of the freeze.
  if (frozenMs === 3_000 && target === 'nats' && !isUnderWay) return ['whole', 'http error'];
  // This freeze is shorter than every timeout except that of Redis, so its only effect is a delay.
  if (frozenMs === 3_000 && target !== 'redis') return ['whole'];
  switch (target) {
    case 'gateway':
      if (gateway === 1) return ['whole'];
      if (signal === 'SIGSTOP') return FAILED;
      // A process that has ended accepts no connection.
      return signal === 'SIGTERM' && isUnderWay ? ['whole'] : ['whole', 'broken'];
    case 'worker':
      if (signal === 'SIGTERM') return ['whole'];
      return client.stream ? ['whole', 'error event'] : ['whole'];
    case 'runtime':
      return client.stream ? ['whole', 'error event'] : ['whole'];
    case 'quota':
    case 'catalog':
    case 'redis':
      // A request that has been admitted does not need them any more.
      return isUnderWay ? ['whole'] : ['whole', 'http error'];
    case 'nats':
      return FAILED;
  }
}

/** Waits until every process is ready and knows the others, and no process has any state of a request. */
async function recovered(): Promise<void> {
  const { gateways, workers, quotas, catalogs } = fleet;
  const members = [...gateways, ...workers, ...quotas, ...catalogs];
  await waitUntil(
    async () => {
      const answers = await Promise.all(members.map(async ({ readyUrl }) => fetch(readyUrl)));
      await Promise.all(answers.map(async (answer) => answer.body?.cancel()));
      return answers.every(({ ok }) => ok);
    },
    { what: 'every process to be ready', timeoutMs: 60_000, everyMs: 100 },
  );
  await fleet.offersTo(2);
  await fleet.holdsNothing();
}

function processAsVictim(process: ServiceProcess | undefined): Victim {
  if (process === undefined) throw new Error('a process is missing');
  return {
    freeze: async () => process.freeze(),
    thaw: async () => process.thaw(),
    end: async (signal) => process.signal(signal),
    restart: async () => {
      await waitUntil(() => !process.running, { what: 'the process to end', timeoutMs: 60_000 });
      await process.start();
    },
  };
}

function serverAsVictim(server: OwnServerForTests): Victim {
  return {
    freeze: async () => server.pause(),
    thaw: async () => server.resume(),
    end: async (signal) => (signal === 'SIGTERM' ? server.terminate() : server.kill()),
    restart: async () => server.restart(),
  };
}
