import { CONTRACT_VERSION, type JobHeader } from '@sluice/contracts';
import type { CompletionJob } from './completion-job.ts';

export interface OfferDetails {
  readonly gateway: string;
  readonly attempt: number;
  /** How long it may still wait for a slot. */
  readonly queueMs: number;
  readonly runMs: number;
}

/** What the gateway decided about a request, for the worker that is offered it. */
export function jobHeader(
  { requestId, principal, examined }: CompletionJob,
  { gateway, attempt, queueMs, runMs }: OfferDetails,
): JobHeader {
  const { model, maxOutputTokens, reasoningEffort } = examined;
  return {
    contract: CONTRACT_VERSION,
    gateway,
    request: requestId,
    attempt,
    organization: principal.organization,
    project: principal.project,
    model: model.id,
    runtime_model: model.runtime_model,
    stream: examined.stream,
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    output_bound_requested: examined.outputBoundRequested,
    ...(model.context_length === undefined ? {} : { context_length: model.context_length }),
    estimated_input_tokens: examined.inputTokens,
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    reasoning_history: model.reasoning_history,
    queue_ms: Math.max(0, Math.round(queueMs)),
    run_ms: runMs,
  };
}
