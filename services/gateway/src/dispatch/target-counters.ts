import { count, initCounters, oncePerModel } from '@sluice/service';
import { COUNTED_ENDS, type AttemptEnd } from './attempt-end.ts';

const ENDS: ReadonlySet<AttemptEnd['kind']> = new Set(COUNTED_ENDS.map(({ end }) => end));

/** Starts the counters of one target of a model at its first attempt or fallback. */
const startTargetCounters = oncePerModel((model: string, target: string) => {
  initCounters(
    'sluice.gateway.target.attempts',
    Array.from(ENDS, (end) => ({ model, target, end })),
  );
  initCounters('sluice.gateway.target.fallbacks', [{ model, target }]);
});

export function countTargetAttempt(model: string, target: string, end: AttemptEnd['kind']): void {
  startTargetCounters(model, target);
  count('sluice.gateway.target.attempts', { model, target, end });
}

/** Counts a job that goes to the next target, because no worker of this one took it. */
export function countFallback(model: string, target: string): void {
  startTargetCounters(model, target);
  count('sluice.gateway.target.fallbacks', { model, target });
}
