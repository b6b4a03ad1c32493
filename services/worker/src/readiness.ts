import type { Bus, OutcomeLedger } from '@sluice/bus';
import type { AttemptRecord } from '@sluice/contracts';
import { type Readiness, observe } from '@sluice/service';
import type { PromptCache } from './cache/prompt-cache.ts';
import type { WorkerIdentity } from './identity.ts';
import type { JobIntake } from './intake/job-intake.ts';
import type { RuntimeSupervisor } from './runtime/runtime-supervisor.ts';
import type { UsedClass } from './schedule/class-queue.ts';
import type { Slots } from './schedule/slots.ts';

export interface ObservedParts {
  readonly bus: Bus;
  readonly ledger: OutcomeLedger<AttemptRecord>;
  readonly supervisor: RuntimeSupervisor;
  readonly slots: Slots;
  readonly intake: JobIntake;
  readonly cache: PromptCache;
}

/** Whether the worker can serve jobs, with the details for `/readyz`. */
export function readinessOf(
  identity: WorkerIdentity,
  { bus, ledger, supervisor, slots, intake, cache }: ObservedParts,
): Readiness {
  const { state, up } = supervisor;
  // In the reply, `runtime` is the state of the runtime.
  const { runtime: runtimeAddress, ...names } = identity;
  return {
    // A worker that an operator drains is healthy, and can take jobs again at any time.
    ready: bus.connected && up && !intake.stopping,
    details: {
      ...names,
      runtimeAddress,
      foreignGenerations: slots.otherClientsGenerations,
      bus: bus.connected ? 'connected' : 'disconnected',
      runtime: up ? state.dialect.kind : 'down',
      models: state.models,
      draining: intake.draining,
      load: intake.load,
      runtimeLoad: state.load,
      holdings: intake.holdings,
      remembered: intake.remembered,
      subscriptions: bus.subscriptionCount,
      cache: cache.state,
      ledger: ledger.counts,
    },
  };
}

export function observeWorker({
  supervisor,
  intake,
}: Pick<ObservedParts, 'supervisor' | 'intake'>): void {
  observe('sluice.worker.slots', () => intake.load.slots);
  observe('sluice.worker.running', () => intake.load.running);
  observe('sluice.worker.queued', () => intake.load.queued);
  observe('sluice.worker.draining', () => (intake.draining ? 1 : 0));
  observe('sluice.worker.class.queued', () => byClass(intake, ({ queued }) => queued));
  observe('sluice.worker.class.tokens', () => byClass(intake, ({ tokens }) => tokens));
  observe('sluice.worker.generated_tokens', () => intake.generatedTokens);
  observe('sluice.runtime.up', () => (supervisor.up ? 1 : 0));
  observe('sluice.runtime.running', () => supervisor.state.load?.running);
  observe('sluice.runtime.waiting', () => supervisor.state.load?.waiting);
  observe('sluice.runtime.cache_use', () => supervisor.state.load?.cache_use ?? undefined);
}

function byClass(intake: JobIntake, valueOf: (used: UsedClass) => number) {
  return intake.classes.map(
    (used) => [valueOf(used), { class: String(used.class) }] satisfies [number, object],
  );
}
