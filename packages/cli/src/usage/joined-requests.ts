import type {
  AttemptRecord,
  LedgerRecord,
  RequestOutcome,
  RequestRecord,
  TokenUsage,
} from '@sluice/contracts';

/** Everything the ledger knows of one request. */
export interface JoinedRequest {
  readonly organization: string;
  readonly project: string;
  /** Unknown where the gateway left no record. */
  readonly credential: string | undefined;
  readonly operation: string;
  readonly model: string | undefined;
  readonly receivedAtMs: number;
  /** `abandoned`: its gateway died before it could say what became of it. */
  readonly outcome: RequestOutcome | 'abandoned';
  /** Those that a worker accepted and lived to record. */
  readonly attempts: number;
  readonly tokens: TokenUsage;
  /** Generated, and delivered to nobody. */
  readonly wastedTokens: number;
  /** Input as admission estimated it and as the runtime counted it, where it did. */
  readonly input: { readonly estimated: number; readonly counted: number } | undefined;
}

export interface JoinResult {
  readonly requests: JoinedRequest[];
  /** Requests with attempts whose own record may still come. */
  readonly underWay: number;
}

/** No request takes longer than this to be recorded after an attempt at it has ended, another attempt included. */
const SETTLED_AFTER_MS = 15 * 60_000;
const NO_TOKENS: TokenUsage = {
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

interface Entry {
  request: RequestRecord | undefined;
  readonly attempts: AttemptRecord[];
}

/** Joins the records of requests and of their attempts, in whatever order they come, each id once. */
export class RequestJoin {
  readonly #entries = new Map<string, Entry>();

  add(record: LedgerRecord): void {
    const id = record.kind === 'request' ? record.id : record.request;
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = { request: undefined, attempts: [] };
      this.#entries.set(id, entry);
    }
    if (record.kind === 'request') entry.request ??= record;
    else if (!entry.attempts.some((known) => known.id === record.id)) entry.attempts.push(record);
  }

  /** Requests received from a time on. */
  result({ sinceMs, nowMs }: { sinceMs: number; nowMs: number }): JoinResult {
    const requests: JoinedRequest[] = [];
    let underWay = 0;
    for (const { request, attempts } of this.#entries.values()) {
      const [first] = attempts;
      if (request !== undefined) {
        if (request.received_at_ms >= sinceMs) requests.push(joinRequest(request, attempts));
      } else if (first !== undefined && first.accepted_at_ms >= sinceMs) {
        if (attempts.some((attempt) => isSettled(attempt, nowMs))) {
          requests.push(joinAbandoned(first, attempts));
        } else underWay += 1;
      }
    }
    return { requests, underWay };
  }
}

function joinRequest(request: RequestRecord, attempts: readonly AttemptRecord[]): JoinedRequest {
  const { organization, project, credential, operation, model, outcome } = request;
  const generated = generatedBy(attempts);
  return {
    organization,
    project,
    credential,
    operation,
    model: model ?? undefined,
    receivedAtMs: request.received_at_ms,
    outcome,
    attempts: attempts.length,
    tokens: tokensOf(request, generated),
    wastedTokens: Math.max(0, generated - request.delivered_tokens),
    input: inputOf(request),
  };
}

/**
 * An answer that reached its end and its client is counted as the runtime did. Of any other the output is what
 * the client got, and the input what its admission estimated, provided that a runtime had read it.
 */
function tokensOf(request: RequestRecord, generated: number): TokenUsage {
  const { outcome, usage, delivered_tokens: delivered } = request;
  if (outcome === 'completed') return usage ?? { ...NO_TOKENS, output_tokens: delivered };
  const read = generated > 0 || delivered > 0;
  const estimated = read ? request.estimated_input_tokens : 0;
  return {
    ...NO_TOKENS,
    input_tokens: usage?.input_tokens ?? estimated,
    cached_tokens: usage?.cached_tokens ?? 0,
    output_tokens: delivered,
  };
}

function inputOf({
  usage,
  estimated_input_tokens: estimated,
}: RequestRecord): JoinedRequest['input'] {
  return usage === null || estimated === 0 ? undefined : { estimated, counted: usage.input_tokens };
}

function joinAbandoned(first: AttemptRecord, attempts: readonly AttemptRecord[]): JoinedRequest {
  const { organization, project, model } = first;
  return {
    organization,
    project,
    credential: undefined,
    operation: 'completions',
    model,
    receivedAtMs: first.accepted_at_ms,
    outcome: 'abandoned',
    attempts: attempts.length,
    tokens: NO_TOKENS,
    wastedTokens: generatedBy(attempts),
    input: undefined,
  };
}

function isSettled(attempt: AttemptRecord, nowMs: number): boolean {
  if (attempt.reason === 'gateway_silent') return true;
  const { accepted_at_ms: acceptedAt, queued_ms: queued, ran_ms: ran } = attempt;
  return nowMs - (acceptedAt + queued + ran) >= SETTLED_AFTER_MS;
}

function generatedBy(attempts: readonly AttemptRecord[]): number {
  return attempts.reduce((sum, { generated_tokens: tokens }) => sum + tokens, 0);
}
