import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { SluiceStack } from '../programs/sluice-stack.ts';

/** What a process says it still has under way, by name; all zero when nothing is. */
export type Gauges = Readonly<Record<string, number>>;

const Simulated = z.object({
  running: z.int(),
  waiting: z.int(),
});
const WorkerHealth = z.object({ load: z.object({ running: z.int(), queued: z.int() }) });
const QuotaHealth = z.object({ unanswered: z.int() });
const GatewayHealth = z.object({ quota: z.object({ inFlight: z.int() }) });

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 200;

/** Waits until nothing is under way anywhere; gives what is left when that takes too long. */
export async function awaitQuiet(stack: SluiceStack): Promise<Gauges> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const gauges = await readGauges(stack);
    const left = Object.entries(gauges).filter(([, value]) => value !== 0);
    if (left.length === 0 || performance.now() > giveUpAt) return Object.fromEntries(left);
    await delay(LOOK_EVERY_MS);
  }
}

async function readGauges(stack: SluiceStack): Promise<Gauges> {
  const gauges: Record<string, number> = {};
  for (const { name, url, healthUrl } of await stack.processes()) {
    if (healthUrl === null) continue;
    try {
      if (name.startsWith('simulator')) {
        const state = Simulated.parse(await getJson(`${url}/sim/state`));
        gauges[`${name}: running`] = state.running;
        gauges[`${name}: waiting`] = state.waiting;
      } else if (name.startsWith('worker')) {
        const { load } = WorkerHealth.parse(await getJson(healthUrl));
        gauges[`${name}: running`] = load.running;
        gauges[`${name}: queued`] = load.queued;
      } else if (name.startsWith('quota')) {
        gauges[`${name}: unanswered`] = QuotaHealth.parse(await getJson(healthUrl)).unanswered;
      } else if (name.startsWith('gateway')) {
        const { quota } = GatewayHealth.parse(await getJson(healthUrl));
        gauges[`${name}: admissions in flight`] = quota.inFlight;
      }
    } catch {
      gauges[`${name}: does not say`] = 1;
    }
  }
  return gauges;
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) });
  return response.json();
}
