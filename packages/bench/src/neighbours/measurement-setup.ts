import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandContext } from '../command-line.ts';
import { smallRequests } from '../compare/works.ts';
import { targetOf } from '../contestants/contestant.ts';
import { WORKER_SETTINGS } from '../contestants/sluice.ts';
import { startDriver, type Driver } from '../driver/start-driver.ts';
import { startLoadGenerator } from '../load/load-generator.ts';
import type { Target } from '../load/load-options.ts';
import { startStack } from '../programs/sluice-stack.ts';
import { createTenantOf } from '../programs/tenant.ts';
import type { InnocentOptions, InnocentState } from './innocent-options.ts';
import { watchedEnvironment } from './loop-blocks.ts';
import { startSplitRuntime, type SplitRuntime } from './split-runtime.ts';
import type { TrafficOptions, TrafficState } from './traffic-options.ts';

/**
 * Everything that a measurement needs: the stack, the load of the innocent organization, and the driver of the other
 * load.
 */
export interface MeasurementSetup {
  /** Carries the credential of the organization that sends the hostile or harmless load. */
  readonly target: Target;
  /** Process ids of the Node processes of the stack, by name. */
  readonly watched: Readonly<Record<string, number>>;
  /** All processes of the benchmark, including the watched ones. */
  readonly pids: readonly number[];
  readonly loopFolder: string;
  readonly runtime: SplitRuntime;
  readonly innocents: Driver<InnocentOptions, InnocentState>;
  readonly traffic: Driver<TrafficOptions, TrafficState>;
}

const INNOCENT_LOAD = { requestsPerSecond: 100, streams: 10, paceMs: 20 } as const;
const WORKERS = 2;
/** A new process still compiles its code, which delays all requests. */
const WARM_UP_MS = 8_000;

export async function setUp({ cleanUp, say }: CommandContext): Promise<MeasurementSetup> {
  say('starting a stack of two workers …');
  const loopFolder = await mkdtemp(join(tmpdir(), 'sluice-loops-'));
  cleanUp.defer(() => rm(loopFolder, { recursive: true, force: true }));
  const runtime = await startSplitRuntime(cleanUp);
  const stack = cleanUp.use(
    await startStack({
      runtimes: [runtime.url],
      workers: WORKERS,
      environment: { ...WORKER_SETTINGS, ...watchedEnvironment(loopFolder) },
    }),
  );
  const targetFor = async (organization: string) => {
    const { apiKey } = await createTenantOf(stack, organization);
    return targetOf(stack.baseUrl, `${new URL(stack.apiRoot).pathname}/chat/completions`, {
      authorization: `Bearer ${apiKey}`,
    });
  };
  const innocentTarget = await targetFor('innocent');
  say('warming up …');
  await warmUp(innocentTarget);
  const innocents = cleanUp.use(
    startDriver<InnocentOptions, InnocentState>(new URL('innocent-process.ts', import.meta.url)),
  );
  await innocents.start({ target: innocentTarget, ...INNOCENT_LOAD });
  const traffic = cleanUp.use(
    startDriver<TrafficOptions, TrafficState>(new URL('traffic-process.ts', import.meta.url)),
  );
  const running = (await stack.processes()).flatMap(({ name, pid, healthUrl }) =>
    pid === null ? [] : [{ name, pid, isNode: healthUrl !== null }],
  );
  return {
    target: await targetFor('neighbour'),
    watched: Object.fromEntries(
      running.filter(({ isNode }) => isNode).map(({ name, pid }) => [name, pid]),
    ),
    pids: [
      ...running.map(({ pid }) => pid),
      ...runtime.pids,
      stack.pid,
      innocents.pid,
      traffic.pid,
      process.pid,
    ],
    loopFolder,
    runtime,
    innocents,
    traffic,
  };
}

async function warmUp(target: Target): Promise<void> {
  await using generator = startLoadGenerator();
  await generator.start({ target, ...smallRequests });
  await delay(WARM_UP_MS);
  await generator.stop();
}
