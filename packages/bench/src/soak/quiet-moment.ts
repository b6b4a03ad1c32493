import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { SluiceStack } from '../programs/sluice-stack.ts';

/** What a process reports as under way, by name. All values are zero when it is idle. */
export type Gauges = Readonly<Record<string, number>>;

const Simulated = z.object({
  running: z.int(),
  waiting: z.int(),
});
/** Records that are not yet in the ledger, and records that were lost. */
const Ledger = z.object({ pending: z.int(), lost: z.int() });
const WorkerHealth = z.object({ holdings: z.record(z.string(), z.int()), ledger: Ledger });
const GatewayHealth = z.object({
  holdings: z.record(z.string(), z.int()),
  ledger: Ledger,
  quota: z.object({ inFlight: z.int() }),
});
const QuotaHealth = z.object({ unanswered: z.int() });

const TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 200;

/** Waits until nothing is under way in any process. After a timeout, returns what remains. */
export async function awaitQuiet(stack: SluiceStack): Promise<Gauges> {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  for (;;) {
    const gauges = await readGauges(stack);
    const left = Object.entries(gauges).filter(([, value]) => value !== 0);
    if (left.length === 0 || performance.now() > giveUpAt) return Object.fromEntries(left);
    await delay(CHECK_EVERY_MS);
  }
}

async function readGauges(stack: SluiceStack): Promise<Gauges> {
  const gauges: Record<string, number> = {};
  const add = (name: string, values: Readonly<Record<string, number>>) => {
    for (const [what, value] of Object.entries(values)) gauges[`${name}: ${what}`] = value;
  };
  for (const { name, url, healthUrl } of await stack.processes()) {
    if (healthUrl === null) continue;
    try {
      if (name.startsWith('simulator')) {
        add(name, Simulated.parse(await getJson(`${url}/sim/state`)));
      } else if (name.startsWith('worker')) {
        const { holdings, ledger } = WorkerHealth.parse(await getJson(healthUrl));
        add(name, { ...holdings, ...records(ledger) });
      } else if (name.startsWith('quota')) {
        add(name, QuotaHealth.parse(await getJson(healthUrl)));
      } else if (name.startsWith('gateway')) {
        const { holdings, ledger, quota } = GatewayHealth.parse(await getJson(healthUrl));
        add(name, { ...holdings, ...records(ledger), admissions: quota.inFlight });
      }
    } catch {
      gauges[`${name}: no answer`] = 1;
    }
  }
  return gauges;
}

function records({ pending, lost }: z.infer<typeof Ledger>): Record<string, number> {
  return { 'records to be stored': pending, 'records lost': lost };
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) });
  return response.json();
}
