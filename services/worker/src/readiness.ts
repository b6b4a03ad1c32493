import type { Bus, OutcomeLedger } from '@sluice/bus';
import type { AttemptRecord } from '@sluice/contracts';
import type { Readiness } from '@sluice/host';
import { observe } from '@sluice/telemetry';
import type { JobDesk } from './domain/job-desk.ts';
import type { Slots } from './domain/slots.ts';
import type { RuntimeSupervisor } from './runtime/runtime-supervisor.ts';

export interface ShownParts {
  readonly bus: Bus;
  readonly ledger: OutcomeLedger<AttemptRecord>;
  readonly supervisor: RuntimeSupervisor;
  readonly slots: Slots;
  readonly desk: JobDesk;
}

/** Whether the worker can serve, and the details that `/readyz` shows. */
export function readinessOf(
  identity: Readonly<Record<'worker' | 'pool', string>>,
  { bus, ledger, supervisor, slots, desk }: ShownParts,
): Readiness {
  const { state, up } = supervisor;
  return {
    ready: bus.connected && up && !desk.draining,
    details: {
      ...identity,
      foreignGenerations: slots.foreignGenerations,
      bus: bus.connected ? 'connected' : 'disconnected',
      runtime: up ? state.dialect.kind : 'down',
      models: state.models,
      draining: desk.draining,
      load: desk.load,
      runtimeLoad: state.load,
      holdings: desk.holdings,
      remembered: desk.remembered,
      subscriptions: bus.subscriptionCount,
      ledger: ledger.counts,
    },
  };
}

export function observeWorker({ supervisor, desk }: Pick<ShownParts, 'supervisor' | 'desk'>): void {
  observe('sluice.worker.slots', () => desk.load.slots);
  observe('sluice.worker.running', () => desk.load.running);
  observe('sluice.worker.queued', () => desk.load.queued);
  observe('sluice.worker.generated_tokens', () => desk.generatedTokens);
  observe('sluice.runtime.up', () => (supervisor.up ? 1 : 0));
  observe('sluice.runtime.running', () => supervisor.state.load?.running);
  observe('sluice.runtime.waiting', () => supervisor.state.load?.waiting);
  observe('sluice.runtime.cache_use', () => supervisor.state.load?.cache_use ?? undefined);
}
