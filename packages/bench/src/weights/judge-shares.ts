import type { AttemptRecord } from '@sluice/contracts';
import { hasRun, startedAt } from './attempts.ts';

export interface TimeWindow {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The tokens that each organization was served within the window. The prompt counts when a generation starts, as in the
 * scheduler. The output counts evenly over the time that it took.
 */
export function servedTokens(
  attempts: readonly AttemptRecord[],
  { fromMs, untilMs }: TimeWindow,
): ReadonlyMap<string, number> {
  const ran = attempts.filter(hasRun);
  const served = new Map<string, number>();
  for (const attempt of ran) {
    const { organization, ran_ms, generated_tokens, usage } = attempt;
    const start = startedAt(attempt);
    const overlap = Math.min(untilMs, start + ran_ms) - Math.max(fromMs, start);
    const output = overlap > 0 ? (generated_tokens * overlap) / ran_ms : 0;
    const isWithin = start >= fromMs && start < untilMs;
    // Generations that were stopped at the end of the load report no usage.
    const input = isWithin ? (usage?.input_tokens ?? meanInput(ran)) : 0;
    served.set(organization, (served.get(organization) ?? 0) + output + input);
  }
  return served;
}

function meanInput(attempts: readonly AttemptRecord[]): number {
  const known = attempts.flatMap(({ usage }) => usage?.input_tokens ?? []);
  return known.reduce((sum, tokens) => sum + tokens, 0) / Math.max(1, known.length);
}

export interface Share {
  readonly organization: string;
  readonly tokens: number;
  readonly share: number;
}

export function sharesOf(
  served: ReadonlyMap<string, number>,
  organizations: readonly string[],
): readonly Share[] {
  const tokensOf = (organization: string) => served.get(organization) ?? 0;
  const total = organizations.reduce((sum, organization) => sum + tokensOf(organization), 0);
  return organizations.map((organization) => {
    const tokens = tokensOf(organization);
    return { organization, tokens, share: tokens / Math.max(1, total) };
  });
}

/** The clock of the records has milliseconds, so equal times may be in either order. */
const CLOCK_MS = 2;

/**
 * How many attempts of other organizations got a slot of the same worker while each attempt of this organization
 * waited. It should have got the first slot that became free, so every number should be 0.
 */
export function overtakenBy(
  attempts: readonly AttemptRecord[],
  organization: string,
): readonly number[] {
  const ran = attempts.filter(hasRun);
  const others = ran.filter((attempt) => attempt.organization !== organization);
  return ran
    .filter((attempt) => attempt.organization === organization && attempt.queued_ms > CLOCK_MS)
    .map((attempt) => {
      const from = attempt.accepted_at_ms + CLOCK_MS;
      const until = startedAt(attempt) - CLOCK_MS;
      return others.filter((other) => {
        const start = startedAt(other);
        return other.worker === attempt.worker && start > from && start < until;
      }).length;
    });
}

/**
 * The share of the window in which no job of the organization waited at a worker, for the worker with the largest share.
 * An organization can only be served its share while it has waiting jobs.
 */
export function shareWithoutWaiting(
  attempts: readonly AttemptRecord[],
  organization: string,
  { fromMs, untilMs }: TimeWindow,
): number {
  const own = attempts.filter((attempt) => attempt.organization === organization);
  const workers = new Set(attempts.map(({ worker }) => worker));
  const shares = Array.from(workers, (worker) => {
    const waits = own
      .filter((attempt) => attempt.worker === worker)
      .map((attempt) => ({ from: attempt.accepted_at_ms, until: startedAt(attempt) }))
      .toSorted((one, other) => one.from - other.from);
    let covered = 0;
    let reached = fromMs;
    for (const { from, until } of waits) {
      const end = Math.min(until, untilMs);
      if (end <= reached) continue;
      covered += end - Math.max(from, reached);
      reached = end;
    }
    return 1 - covered / (untilMs - fromMs);
  });
  return Math.max(0, ...shares);
}
