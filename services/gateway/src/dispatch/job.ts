import {
  type FinishReason,
  CONTRACT_VERSION,
  encodeBlockHashes,
  type JobHeader,
} from '@sluice/contracts';
import type { Principal } from '../access/principal.ts';
import type { ServingTarget } from '../fleet/order-targets.ts';
import type { CompletionCounts } from '../request/completion-counts.ts';
import type { ExaminedRequest } from '../request/examine-request.ts';

/** A valid, admitted request on its way to a worker. */
export interface CompletionJob {
  readonly requestId: string;
  readonly principal: Principal;
  readonly examined: ExaminedRequest;
  /** Counts offers and output for the job's record. */
  readonly counts: CompletionCounts;
  /** The client's body. Emptied once it cannot be needed again. */
  body: Uint8Array;
}

/** Receives the output of a job. */
export interface CompletionSink {
  /** Output has been sent to the client, so the job can no longer be retried. */
  readonly delivered: boolean;
  started(): void;
  delta(body: Uint8Array): void;
  usage(body: Uint8Array): void;
  /** Discards the output so far, because the job is retried. */
  restart(): void;
  finish(reason: FinishReason): void;
}

export interface OfferDetails {
  readonly gateway: string;
  readonly attempt: number;
  readonly target: ServingTarget;
  /** How long the job may still wait for a slot. */
  readonly queueMs: number;
  readonly runMs: number;
}

/** The gateway's decisions about a request, for the worker. */
export function jobHeader(
  { requestId, principal, examined }: CompletionJob,
  { gateway, attempt, target, queueMs, runMs }: OfferDetails,
): JobHeader {
  const { model, maxOutputTokens, reasoningEffort, prefix } = examined;
  return {
    contract: CONTRACT_VERSION,
    gateway,
    request: requestId,
    attempt,
    organization: principal.organization,
    project: principal.project,
    model: model.id,
    runtime_model: target.runtime_model,
    stream: examined.stream,
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    output_bound_requested: examined.outputBoundRequested,
    ...(model.context_length === undefined ? {} : { context_length: model.context_length }),
    estimated_input_tokens: examined.inputTokens,
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    reasoning_history: model.reasoning_history,
    queue_ms: Math.max(0, Math.round(queueMs)),
    run_ms: runMs,
    ...principal.scheduling,
    ...(prefix.hashes.length > 0 && { prefix_blocks: encodeBlockHashes(prefix.hashes) }),
  };
}
