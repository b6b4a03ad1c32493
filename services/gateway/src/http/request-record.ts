import {
  readTokenUsage,
  type RequestOutcome,
  type RequestRecord,
  type TokenUsage,
} from '@sluice/contracts';
import type { CompletionTally } from '../domain/completion-tally.ts';
import { HTTP_ERRORS } from './error-table.ts';
import { principalOf, type Exchange } from './exchange.ts';

export interface RecordMoment {
  readonly gateway: string;
  /** By the clock of the exchange's own times. */
  readonly now: number;
  /** In Unix milliseconds. */
  readonly wallNow: number;
}

/** What the ledger is told of a request whose reply is out, or whose client is gone. */
export function requestRecord(
  exchange: Exchange,
  { gateway, now, wallNow }: RecordMoment,
): RequestRecord {
  const { id, operation, modelId, failure, tally, startedAt } = exchange;
  const { organization, project, credentialId } = principalOf(exchange);
  const outcome = outcomeOf(exchange);
  const usage = usageOf(tally);
  const firstPieceAt = tally?.firstPieceAt;
  return {
    kind: 'request',
    id,
    gateway,
    organization,
    project,
    credential: credentialId,
    operation,
    model: modelId ?? null,
    stream: tally?.stream ?? false,
    outcome,
    code: failure?.code ?? null,
    attempts: tally?.offers ?? 0,
    ...refusedOffersOf(tally),
    estimated_input_tokens: tally?.inputTokens ?? 0,
    delivered_tokens: deliveredTokens(outcome, tally, usage),
    usage,
    received_at_ms: Math.round(wallNow - (now - startedAt)),
    first_token_ms: firstPieceAt === undefined ? null : Math.round(firstPieceAt - startedAt),
    duration_ms: Math.round(now - startedAt),
  };
}

/**
 * A failure that the client was told of is no leaving of its own, though its connection is cut after it. A client that
 * is cut off for its own doing, such as taking too little of its reply, counts as one that left: nothing failed.
 */
export function outcomeOf(exchange: Exchange): RequestOutcome {
  if (exchange.failure !== undefined) return isServersFault(exchange) ? 'failed' : 'refused';
  return exchange.gone ? 'cancelled' : 'completed';
}

/** A reply that broke off after its status failed here, whatever its failure would have been as a status. */
export function isServersFault({ failure, response }: Exchange): boolean {
  if (failure === undefined) return false;
  const hasBegunWell = response.headersSent && response.statusCode < 400;
  return hasBegunWell || HTTP_ERRORS[failure.code].status >= 500;
}

/** Few requests have any, and the ledger is bounded in bytes. */
function refusedOffersOf(
  tally: CompletionTally | undefined,
): Pick<RequestRecord, 'refused_offers'> {
  const count = tally?.refusedOffers ?? 0;
  return count === 0 ? {} : { refused_offers: count };
}

function deliveredTokens(
  outcome: RequestOutcome,
  tally: CompletionTally | undefined,
  usage: TokenUsage | null,
): number {
  if (tally === undefined) return 0;
  if (outcome === 'completed') return usage?.output_tokens ?? tally.pieces;
  // A reply that does not stream reaches its client whole or not at all.
  return tally.stream ? tally.pieces : 0;
}

/** Undefined counts, as of a worker that speaks another version, leave the request recorded without. */
function usageOf(tally: CompletionTally | undefined): TokenUsage | null {
  if (tally?.usage === undefined || !tally.finished) return null;
  const { buffer, byteOffset, byteLength } = tally.usage;
  try {
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
    return readTokenUsage(JSON.parse(text)) ?? null;
  } catch {
    return null;
  }
}
