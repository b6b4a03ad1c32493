import {
  LIMIT_NAMES,
  type RecordedLimits,
  type RecordedOffer,
  type RequestOutcome,
  type RequestRecord,
  type TokenUsage,
} from '@sluice/contracts';
import { HTTP_ERRORS } from '../edge/error-reply.ts';
import { principalOf, type RequestContext } from '../edge/request-context.ts';
import type { CompletionCounts } from '../request/completion-counts.ts';

export interface RecordMoment {
  readonly gateway: string;
  /** The present, on the same clock as `startedAt` of the request. */
  readonly now: number;
  /** The present, as Unix time in milliseconds. */
  readonly wallNow: number;
}

/** The ledger record of a request whose reply has ended or whose client has disconnected. */
export function requestRecord(
  context: RequestContext,
  { gateway, now, wallNow }: RecordMoment,
): RequestRecord {
  const { id, operation, modelId, failure, counts, startedAt } = context;
  const { organization, project, credentialId, scheduling } = principalOf(context);
  const outcome = outcomeOf(context);
  const usage = usageOf(counts);
  const firstPieceAt = counts?.firstPieceAt;
  return {
    kind: 'request',
    id,
    gateway,
    organization,
    project,
    credential: credentialId,
    operation,
    model: modelId ?? null,
    stream: counts?.stream ?? false,
    outcome,
    code: failure?.code ?? null,
    attempts: counts?.offers ?? 0,
    refused_offers: counts?.refusedOffers ?? 0,
    target: counts?.target ?? null,
    estimated_input_tokens: counts?.inputTokens ?? 0,
    delivered_tokens: deliveredTokens(outcome, counts, usage),
    usage,
    received_at_ms: Math.round(wallNow - (now - startedAt)),
    first_token_ms: firstPieceAt === undefined ? null : Math.round(firstPieceAt - startedAt),
    duration_ms: Math.round(now - startedAt),
    status: context.response.headersSent ? context.response.statusCode : null,
    // JSON leaves out what is undefined.
    limits: context.admission && recordedLimits(context.admission),
    offers: counts && recordedOffers(counts, { now, startedAt }),
    scheduling_class: scheduling.scheduling_class,
    weight: scheduling.weight,
  };
}

function recordedLimits({
  tokens,
  windows,
  refusedBy,
}: NonNullable<RequestContext['admission']>): RecordedLimits {
  const recorded: RecordedLimits['windows'] = {};
  for (const name of LIMIT_NAMES) {
    const window = windows[name];
    if (window === null) continue;
    recorded[name] = [window.limit, Math.max(0, Math.floor(window.remaining))];
  }
  return {
    tokens,
    windows: recorded,
    refused_by: refusedBy?.limit,
    wait_ms: refusedBy && Math.ceil(refusedBy.waitMs),
  };
}

function recordedOffers(
  { recordedOffers: offers }: CompletionCounts,
  { now, startedAt }: { now: number; startedAt: number },
): RecordedOffer[] | undefined {
  if (offers.length === 0) return undefined;
  return offers.map(({ worker, workerName, target, offeredAt, end }) => ({
    worker,
    worker_name: workerName,
    target,
    after_ms: Math.round(offeredAt - startedAt),
    // If the client disconnects, its request ends before its attempt.
    took_ms: Math.round((end?.at ?? now) - offeredAt),
    ended: end?.kind ?? 'left',
    reason: end?.reason,
  }));
}

/**
 * A request with a failure is never `cancelled`, although its connection may be cut after the error. If a client is
 * disconnected because it reads its reply too slowly, its request is `cancelled`, because nothing failed.
 */
export function outcomeOf(context: RequestContext): RequestOutcome {
  if (context.failure !== undefined) return isServerFault(context) ? 'failed' : 'refused';
  return context.disconnected ? 'cancelled' : 'completed';
}

/** Whether the service is at fault. A reply that broke off after a successful status always counts as its fault. */
export function isServerFault({ failure, response }: RequestContext): boolean {
  if (failure === undefined) return false;
  const hadSuccessStatus = response.headersSent && response.statusCode < 400;
  return hadSuccessStatus || HTTP_ERRORS[failure.code].status >= 500;
}

function deliveredTokens(
  outcome: RequestOutcome,
  counts: CompletionCounts | undefined,
  usage: TokenUsage | null,
): number {
  if (counts === undefined) return 0;
  if (outcome === 'completed') return usage?.output_tokens ?? counts.pieces;
  // A reply that is not streamed is delivered completely or not at all.
  return counts.stream ? counts.pieces : 0;
}

function usageOf(counts: CompletionCounts | undefined): TokenUsage | null {
  return counts?.finished === true ? counts.readUsage() : null;
}
