import { FleetTable } from '../../src/fleet/fleet-table.ts';
import { heartbeatOf } from '../../src/fleet/heartbeat-fixture.ts';
import { affinityOf, chooseByConversation } from './conversation-hash.ts';
import type { FleetContext, RoutingRule, VirtualWorker } from './virtual-fleet.ts';

const MODEL = { pool: 'default', runtime_model: 'large' };
const NONE: ReadonlySet<string> = new Set();

function gatewaysOf({ workers, clock }: FleetContext, count: number): FleetTable[] {
  return Array.from({ length: count }, () => {
    const fleet = new FleetTable(clock);
    for (const { id, load } of workers) fleet.update(heartbeatOf(id, { load }));
    return fleet;
  });
}

function workerById(workers: readonly VirtualWorker[], id: string | undefined): VirtualWorker {
  const worker = workers.find((one) => one.id === id);
  if (worker === undefined) throw new Error('no worker was chosen');
  return worker;
}

/** The gateway's rule. Each gateway has its own table and learns from heartbeats what the others have sent. */
export function byPrompt(context: FleetContext, count: number): RoutingRule {
  const { workers, random } = context;
  const gateways = gatewaysOf(context, count);
  const fleetOf = (number: number) => {
    const fleet = gateways[number];
    if (fleet === undefined) throw new Error('the gateway is missing');
    return fleet;
  };
  const expected = new Map<
    object,
    { tokens: number; view: Parameters<FleetTable['noteCachedTokens']>[0] }
  >();
  return {
    choose(request, gateway) {
      const fleet = fleetOf(gateway);
      const choice = fleet.choose(MODEL, { prefix: request.prefix, except: NONE, random });
      if (choice === undefined) throw new Error('no worker was chosen');
      fleet.recordPrompt(choice.worker, request.prefix);
      expected.set(request, { tokens: choice.expectedCachedTokens, view: choice.worker });
      return workerById(workers, choice.worker.id);
    },
    observe: ({ id, load }, gateway) => fleetOf(gateway).observe(id, load),
    finished(request, { gateway, cached }) {
      const { tokens, view } = expected.get(request) ?? {};
      if (view === undefined || tokens === undefined || tokens === 0) return;
      fleetOf(gateway).noteCachedTokens(view, { expected: tokens, reported: cached });
    },
    heartbeat({ id, load, served }) {
      const blocks = served.next();
      const change = blocks === undefined ? { load } : { load, prefix_blocks: blocks };
      for (const fleet of gateways) fleet.update(heartbeatOf(id, change));
    },
  };
}

/** The rule of version 0.2. */
export function byConversation(context: FleetContext, count: number): RoutingRule {
  const { workers, random } = context;
  const gateways = gatewaysOf(context, count);
  const detours = gateways.map(() => new Map<number, string>());
  return {
    choose({ messages }, gateway) {
      const affinity = affinityOf(messages);
      const candidates = gateways[gateway]?.candidates(MODEL, NONE) ?? [];
      const lastWorker = detours[gateway]?.get(affinity);
      const choice = chooseByConversation(candidates, { affinity, lastWorker, random });
      if (choice?.isOwn === true) detours[gateway]?.delete(affinity);
      else if (choice !== undefined) detours[gateway]?.set(affinity, choice.worker.id);
      return workerById(workers, choice?.worker.id);
    },
    observe: ({ id, load }, gateway) => gateways[gateway]?.observe(id, load),
    heartbeat({ id, load }) {
      for (const fleet of gateways) fleet.update(heartbeatOf(id, { load }));
    },
  };
}

export function roundRobin({ workers }: FleetContext): RoutingRule {
  let next = 0;
  return {
    choose() {
      const worker = workers[next % workers.length];
      next += 1;
      return workerById(workers, worker?.id);
    },
  };
}

const MAX_LOAD_FACTOR = 1.25;

/** Knows all caches and loads at every moment, and keeps the same bound on the load as the gateway. */
export function withPerfectKnowledge({ workers }: FleetContext): RoutingRule {
  return {
    choose({ tokens }) {
      const jobs = 1 + workers.reduce((sum, worker) => sum + worker.jobs, 0);
      const share = Math.ceil((MAX_LOAD_FACTOR * jobs) / workers.length);
      const hasRoom = ({ jobs: own, load }: VirtualWorker) =>
        own + 1 <= share + Math.floor(load.slots / 16);
      const [best] = workers
        .filter(hasRoom)
        .map((worker) => ({ worker, cached: worker.cachedTokens(tokens) }))
        .toSorted((a, b) => b.cached - a.cached || a.worker.jobs - b.worker.jobs);
      return workerById(workers, best?.worker.id);
    },
  };
}
