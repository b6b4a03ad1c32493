import type { FailureReason } from '@sluice/contracts';
import { count, oncePerModel, startAtZero, startSpan, type Logger } from '@sluice/telemetry';
import type { AttemptFailure } from '../domain/attempt-failure.ts';
import type { AttemptOutcome, RunAttempt } from '../domain/attempt-outcome.ts';
import type { Attempt } from '../domain/attempt.ts';
import { REPLY_FAULTS } from '../domain/reply-fault.ts';
import { STALL_STAGES } from '../domain/stalled-stage.ts';
import { runAttempt, type RunOptions } from './run-attempt.ts';

export interface RunnerOptions extends RunOptions {
  readonly logger: Logger;
  /** Told of each attempt that has failed. */
  readonly onFailure: (failure: AttemptFailure) => void;
}

/** Reasons that stand in the request: nothing here has to be mended for them. */
const CLIENTS_OWN: ReadonlySet<FailureReason> = new Set([
  'context_length_exceeded',
  'invalid_request',
  'schema_unreadable',
  'schema_too_costly',
]);

/** Reasons that stand in the runtime, while an attempt is on it. */
const RUNTIMES_OWN = [
  'upstream_unavailable',
  'upstream_busy',
  'upstream_credentials_rejected',
  'upstream_model_missing',
  'invalid_output',
] as const satisfies readonly FailureReason[];

/** What may go wrong with a runtime: fifteen series of each model, so these alone. */
const startModelCounters = oncePerModel((model) => {
  startAtZero(
    'sluice.worker.attempts',
    RUNTIMES_OWN.map((reason) => ({ end: 'failed', reason, stage: 'running', model })),
  );
  startAtZero(
    'sluice.worker.stalls',
    STALL_STAGES.map((stage) => ({ stage, model })),
  );
  startAtZero(
    'sluice.worker.reply_faults',
    REPLY_FAULTS.map((fault) => ({ fault, model })),
  );
});

/** How attempts are run on the runtime, and told of. */
export function attemptRunner(options: RunnerOptions): RunAttempt {
  return async (attempt, charge) => {
    startModelCounters(attempt.header.model);
    const span = startSpan('run attempt', {
      role: 'consumer',
      parent: attempt.trace,
      attributes: { 'sluice.attempt': attempt.name, 'sluice.model': attempt.header.runtime_model },
    });
    const outcome = await runAttempt(attempt, { options, charge, span });
    report(attempt, outcome, options);
    const isFault = outcome.kind === 'failed' && !isClientsOwn(attempt, outcome.failure);
    span.end(isFault ? outcome.failure : undefined);
    return outcome;
  };
}

function report(
  attempt: Attempt,
  outcome: AttemptOutcome,
  { logger, onFailure }: RunnerOptions,
): void {
  const { request, attempt: number, organization, model } = attempt.header;
  if (outcome.kind !== 'failed') {
    logger.debug(
      { request, attempt: number, organization, outcome: outcome.kind },
      'attempt ended',
    );
    return;
  }
  const { failure } = outcome;
  const { fault } = failure;
  if (fault !== undefined) count('sluice.worker.reply_faults', { fault, model });
  logger[isClientsOwn(attempt, failure) ? 'info' : 'warn'](
    {
      request,
      attempt: number,
      organization,
      reason: failure.reason,
      status: failure.status,
      fault,
      err: failure.cause,
    },
    'attempt failed',
  );
  onFailure(failure);
}

function isClientsOwn({ progress }: Attempt, { reason }: AttemptFailure): boolean {
  // An answer that breaks off is nobody's wish.
  return CLIENTS_OWN.has(reason) && !progress.speaking;
}
