import type { FailureReason } from '@sluice/contracts';
import { count, initCounters, oncePerModel, startSpan, type Logger } from '@sluice/service';
import { type AttemptFailure, REPLY_FAULTS } from '../attempt/attempt-failure.ts';
import type { AttemptOutcome, RunAttempt } from '../attempt/attempt-outcome.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { STALL_STAGES } from '../schedule/attempt-clock.ts';
import { runAttempt, type RunOptions } from './run-attempt.ts';

export interface RunnerOptions extends RunOptions {
  readonly logger: Logger;
  /** Called for each failed attempt. */
  readonly onFailure: (failure: AttemptFailure) => void;
}

/** Failures that the request caused. They are logged as information, because an operator need not act. */
const CLIENT_FAULTS: ReadonlySet<FailureReason> = new Set([
  'context_length_exceeded',
  'invalid_request',
  'schema_unreadable',
  'schema_too_costly',
]);

/** Failures that the runtime caused. */
const RUNTIME_FAULTS = [
  'upstream_unavailable',
  'upstream_busy',
  'upstream_credentials_rejected',
  'upstream_model_missing',
  'invalid_output',
] as const satisfies readonly FailureReason[];

/**
 * Starts the counters of runtime failures at 0, so that rates count the first failure. These are fifteen series for
 * each model. To have fewer, the counters of other reasons begin with their first failure.
 */
const initModelCounters = oncePerModel((model) => {
  initCounters(
    'sluice.worker.attempts',
    RUNTIME_FAULTS.map((reason) => ({ end: 'failed', reason, stage: 'running', model })),
  );
  initCounters(
    'sluice.worker.stalls',
    STALL_STAGES.map((stage) => ({ stage, model })),
  );
  initCounters(
    'sluice.worker.reply_faults',
    REPLY_FAULTS.map((fault) => ({ fault, model })),
  );
});

/** Runs attempts on the runtime, with a span, a log line and metrics for each. */
export function attemptRunner(options: RunnerOptions): RunAttempt {
  return async (attempt, charge) => {
    initModelCounters(attempt.header.model);
    const span = startSpan('run attempt', {
      role: 'consumer',
      parent: attempt.trace,
      attributes: { 'sluice.attempt': attempt.name, 'sluice.model': attempt.header.runtime_model },
    });
    const outcome = await runAttempt(attempt, { options, charge, span });
    report(attempt, outcome, options);
    const isFault = outcome.kind === 'failed' && !isClientFault(attempt, outcome.failure);
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
  logger[isClientFault(attempt, failure) ? 'info' : 'warn'](
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

function isClientFault({ progress }: Attempt, { reason }: AttemptFailure): boolean {
  // After the first output, it is not the client but the runtime that is at fault if the context is full.
  return CLIENT_FAULTS.has(reason) && !progress.hasOutput;
}
