import type {
  AttemptRecord,
  LedgerRecord,
  RequestOutcome,
  RequestRecord,
  TokenUsage,
} from '@sluice/contracts';

/** One request, joined from its records in the ledger. */
export interface JoinedRequest {
  readonly organization: string;
  readonly project: string;
  /** Undefined if the gateway left no record. */
  readonly credential: string | undefined;
  readonly operation: string;
  readonly model: string | undefined;
  /** Undefined if no worker was offered the request, or if this is not known. */
  readonly target: string | undefined;
  readonly receivedAtMs: number;
  /** `abandoned`: the gateway died before it recorded the outcome. */
  readonly outcome: RequestOutcome | 'abandoned';
  /** The number of attempts that a worker accepted and recorded. */
  readonly attempts: number;
  readonly tokens: TokenUsage;
  /** Tokens that were generated but not delivered. */
  readonly wastedTokens: number;
  /** Input tokens as estimated by admission and as counted by the runtime. Undefined unless both are known. */
  readonly input: { readonly estimated: number; readonly counted: number } | undefined;
}

/**
 * How long after the end of an attempt the record of its request may come. The gateway may make another attempt before
 * it writes the record.
 */
const SETTLED_AFTER_MS = 15 * 60_000;
const NO_TOKENS: TokenUsage = {
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

/** The fields of a request record that are kept. */
interface KeptRequest extends Pick<
  RequestRecord,
  | 'kind'
  | 'organization'
  | 'project'
  | 'credential'
  | 'operation'
  | 'model'
  | 'target'
  | 'outcome'
  | 'estimated_input_tokens'
  | 'delivered_tokens'
  | 'usage'
  | 'received_at_ms'
> {
  /**
   * How many records of attempts there may be. Every offer that was not refused counts, because a worker may have
   * accepted it although the gateway received no reply.
   */
  readonly recordedAttempts: number;
}
/** The fields of the first known attempt, used if there is no request record. */
type KeptAttempt = Pick<
  AttemptRecord,
  'kind' | 'organization' | 'project' | 'model' | 'accepted_at_ms'
>;

/**
 * The known records of one request. Hundreds of thousands of requests are held at once, so only the fields that the
 * report needs are kept.
 */
export class HeldRequest {
  /** When its last record was stored. */
  storedAtMs = 0;
  #origin: KeptRequest | KeptAttempt;
  /** Attempt ids without the request id in front. */
  #attempts: readonly string[] = [];
  #generatedTokens = 0;
  /** If there is no record of the gateway at this time, the gateway died before it wrote one. */
  #settledAtMs = Number.POSITIVE_INFINITY;

  constructor(record: LedgerRecord) {
    this.#origin = record.kind === 'request' ? keptOfRequest(record) : keptOfAttempt(record);
  }

  /** Adds a record, including the one that was passed to the constructor. An attempt counts once. */
  add(record: LedgerRecord, storedAtMs: number): void {
    this.storedAtMs = storedAtMs;
    if (record.kind === 'attempt') this.#addAttempt(record);
    else if (this.#origin.kind === 'attempt') this.#origin = keptOfRequest(record);
  }

  #addAttempt(record: AttemptRecord): void {
    const name = record.id.slice(record.request.length);
    if (this.#attempts.includes(name)) return;
    // `push` would reserve memory for at least 16 more elements (`NewElementsCapacity` in
    // https://github.com/v8/v8/blob/main/src/objects/js-objects.h).
    this.#attempts = [...this.#attempts, name];
    this.#generatedTokens += record.generated_tokens;
    this.#settledAtMs = Math.min(this.#settledAtMs, settledAtMs(record));
  }

  get receivedAtMs(): number {
    const origin = this.#origin;
    return origin.kind === 'request' ? origin.received_at_ms : origin.accepted_at_ms;
  }

  /** Whether every possible record has been added. */
  get isComplete(): boolean {
    const origin = this.#origin;
    return origin.kind === 'request' && this.#attempts.length >= origin.recordedAttempts;
  }

  /** Whether the request record may still come. */
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
      target: request.target ?? undefined,
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
      target: undefined,
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
    target: record.target,
    outcome: record.outcome,
    estimated_input_tokens: record.estimated_input_tokens,
    delivered_tokens: record.delivered_tokens,
    usage: record.usage,
    received_at_ms: record.received_at_ms,
    recordedAttempts: record.attempts - record.refused_offers,
  };
}

function keptOfAttempt(record: AttemptRecord): KeptAttempt {
  const { kind, organization, project, model, accepted_at_ms } = record;
  return { kind, organization, project, model, accepted_at_ms };
}

/**
 * A completed request counts the usage that the runtime reported. Any other request counts the output tokens that were
 * delivered. Its input tokens are those that the runtime reported or, if a runtime produced output without reporting
 * usage, the estimate of admission.
 */
function tokensOf(request: KeptRequest, generated: number): TokenUsage {
  const { outcome, usage, delivered_tokens: delivered } = request;
  if (outcome === 'completed') return usage ?? { ...NO_TOKENS, output_tokens: delivered };
  const hasReadPrompt = generated > 0 || delivered > 0;
  const estimated = hasReadPrompt ? request.estimated_input_tokens : 0;
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
  // The worker already found that the gateway is dead.
  if (attempt.reason === 'gateway_silent') return 0;
  const { accepted_at_ms: acceptedAt, queued_ms: queued, ran_ms: ran } = attempt;
  return acceptedAt + queued + ran + SETTLED_AFTER_MS;
}
