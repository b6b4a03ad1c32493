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

/** No request takes longer than this to be recorded after an attempt at it has ended, another attempt included. */
const SETTLED_AFTER_MS = 15 * 60_000;
const NO_TOKENS: TokenUsage = {
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

/** What is told of a request by its own record. */
interface KeptRequest extends Pick<
  RequestRecord,
  | 'kind'
  | 'organization'
  | 'project'
  | 'credential'
  | 'operation'
  | 'model'
  | 'outcome'
  | 'estimated_input_tokens'
  | 'delivered_tokens'
  | 'usage'
  | 'received_at_ms'
> {
  /** At most. An offer that was neither accepted nor refused may have been accepted too late, and be recorded. */
  readonly recordedAttempts: number;
}
/** What is told of it by the first of its attempts that is known, unless there is a record of its own. */
type KeptAttempt = Pick<
  AttemptRecord,
  'kind' | 'organization' | 'project' | 'model' | 'accepted_at_ms'
>;

/**
 * What the records of one request come to, those that are known. Hundreds of thousands are held at once, so no more of
 * a record is kept than is told in the end.
 */
export class HeldRequest {
  /** When the last of its records was. */
  storedAtMs = 0;
  #origin: KeptRequest | KeptAttempt;
  /** What their names have after the request's. */
  #attempts: readonly string[] = [];
  #generatedTokens = 0;
  /** If its gateway has left no record by then, it died. */
  #settledAtMs = Number.POSITIVE_INFINITY;

  constructor(record: LedgerRecord) {
    this.#origin = record.kind === 'request' ? keptOfRequest(record) : keptOfAttempt(record);
  }

  /** Each record counts once, the one that it was made with too. */
  add(record: LedgerRecord, storedAtMs: number): void {
    this.storedAtMs = storedAtMs;
    if (record.kind === 'attempt') this.#addAttempt(record);
    else if (this.#origin.kind === 'attempt') this.#origin = keptOfRequest(record);
  }

  #addAttempt(record: AttemptRecord): void {
    const name = record.id.slice(record.request.length);
    if (this.#attempts.includes(name)) return;
    // Not pushed: that would make room for many more.
    this.#attempts = [...this.#attempts, name];
    this.#generatedTokens += record.generated_tokens;
    this.#settledAtMs = Math.min(this.#settledAtMs, settledAtMs(record));
  }

  get receivedAtMs(): number {
    const origin = this.#origin;
    return origin.kind === 'request' ? origin.received_at_ms : origin.accepted_at_ms;
  }

  /** Whether no more records are to come. */
  get isComplete(): boolean {
    const origin = this.#origin;
    return origin.kind === 'request' && this.#attempts.length >= origin.recordedAttempts;
  }

  /** Whether its own record may still come. */
  isUnderWay(nowMs: number): boolean {
    return this.#origin.kind === 'attempt' && nowMs < this.#settledAtMs;
  }

  join(): JoinedRequest {
    const origin = this.#origin;
    return origin.kind === 'request' ? this.#joinRequest(origin) : this.#joinAbandoned(origin);
  }

  #joinRequest(request: KeptRequest): JoinedRequest {
    const { organization, project, credential, operation, model, outcome } = request;
    const generated = this.#generatedTokens;
    return {
      organization,
      project,
      credential,
      operation,
      model: model ?? undefined,
      receivedAtMs: request.received_at_ms,
      outcome,
      attempts: this.#attempts.length,
      tokens: tokensOf(request, generated),
      wastedTokens: Math.max(0, generated - request.delivered_tokens),
      input: inputOf(request),
    };
  }

  #joinAbandoned({ organization, project, model, accepted_at_ms }: KeptAttempt): JoinedRequest {
    return {
      organization,
      project,
      credential: undefined,
      operation: 'completions',
      model,
      receivedAtMs: accepted_at_ms,
      outcome: 'abandoned',
      attempts: this.#attempts.length,
      tokens: NO_TOKENS,
      wastedTokens: this.#generatedTokens,
      input: undefined,
    };
  }
}

function keptOfRequest(record: RequestRecord): KeptRequest {
  return {
    kind: record.kind,
    organization: record.organization,
    project: record.project,
    credential: record.credential,
    operation: record.operation,
    model: record.model,
    outcome: record.outcome,
    estimated_input_tokens: record.estimated_input_tokens,
    delivered_tokens: record.delivered_tokens,
    usage: record.usage,
    received_at_ms: record.received_at_ms,
    recordedAttempts: record.attempts - (record.refused_offers ?? 0),
  };
}

function keptOfAttempt(record: AttemptRecord): KeptAttempt {
  const { kind, organization, project, model, accepted_at_ms } = record;
  return { kind, organization, project, model, accepted_at_ms };
}

/**
 * An answer that reached its end and its client is counted as the runtime did. Of any other the output is what
 * the client got, and the input what its admission estimated, provided that a runtime had read it.
 */
function tokensOf(request: KeptRequest, generated: number): TokenUsage {
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
}: KeptRequest): JoinedRequest['input'] {
  return usage === null || estimated === 0 ? undefined : { estimated, counted: usage.input_tokens };
}

function settledAtMs(attempt: AttemptRecord): number {
  if (attempt.reason === 'gateway_silent') return 0;
  const { accepted_at_ms: acceptedAt, queued_ms: queued, ran_ms: ran } = attempt;
  return acceptedAt + queued + ran + SETTLED_AFTER_MS;
}
