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
/**
 * A record is sent again for ten minutes at most: so long after it was stored no double of it comes any more,
 * even where the clocks of NATS servers differ by a minute.
 */
const DOUBLES_WITHIN_MS = 12 * 60_000;
/**
 * A worker that was frozen records its attempt when it wakes, hours later. For as long as that is waited for, all are
 * held of which a record was lost: by workers that were killed, and by gateways that did not say what was refused.
 */
const LATE_WITHIN_MS = 24 * 3_600_000;
/** Finding the first of a map costs as much as was removed before it, so it is not looked for at each record. */
const SWEEP_EVERY_MS = 60_000;
const NO_TOKENS: TokenUsage = {
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

export interface RequestJoinOptions {
  /** Requests received before are left out. */
  readonly sinceMs: number;
  /** Told of each request once. */
  readonly onRequest: (request: JoinedRequest) => void;
}

interface Entry {
  request: RequestRecord | undefined;
  readonly attempts: AttemptRecord[];
  /** When the last of its records was. */
  storedAtMs: number;
}

/**
 * Joins the records of requests and of their attempts, each id once. They come in the order of their storing,
 * so that what is complete is handed on and forgotten while the rest is read.
 */
export class RequestJoin {
  readonly #options: RequestJoinOptions;
  /** Doubles of their records may come. Those whose last record is the oldest are first. */
  readonly #recent = new Map<string, Entry>();
  /** No doubles come any more, but a record that is missing may. Ordered likewise. */
  readonly #incomplete = new Map<string, Entry>();
  #nextSweepMs = 0;

  constructor(options: RequestJoinOptions) {
    this.#options = options;
  }

  /** Requests that are held until more is known of them. */
  get openCount(): number {
    return this.#recent.size + this.#incomplete.size;
  }

  add(record: LedgerRecord, storedAtMs: number): void {
    if (storedAtMs >= this.#nextSweepMs) {
      this.#giveUpUntil(storedAtMs - LATE_WITHIN_MS);
      this.#handOnUntil(storedAtMs - DOUBLES_WITHIN_MS);
      this.#nextSweepMs = storedAtMs + SWEEP_EVERY_MS;
    }
    const id = record.kind === 'request' ? record.id : record.request;
    const entry = this.#take(id) ?? { request: undefined, attempts: [], storedAtMs };
    entry.storedAtMs = storedAtMs;
    this.#recent.set(id, entry);
    if (record.kind === 'request') entry.request ??= record;
    else if (!entry.attempts.some((known) => known.id === record.id)) entry.attempts.push(record);
  }

  /** Hands on the rest, and counts the requests with attempts whose own record may still come. */
  finish(nowMs: number): { readonly underWay: number } {
    let underWay = 0;
    for (const entries of [this.#incomplete, this.#recent]) {
      for (const { request, attempts } of entries.values()) {
        const [first] = attempts;
        if (request !== undefined) this.#handOn(joinRequest(request, attempts));
        else if (first === undefined || first.accepted_at_ms < this.#options.sinceMs) continue;
        else if (attempts.some((attempt) => isSettled(attempt, nowMs))) {
          this.#handOn(joinAbandoned(first, attempts));
        } else underWay += 1;
      }
      entries.clear();
    }
    return { underWay };
  }

  /** Of those without a record after that. */
  #handOnUntil(moment: number): void {
    for (const [id, entry] of this.#recent) {
      if (entry.storedAtMs > moment) return;
      this.#recent.delete(id);
      const { request, attempts } = entry;
      if (request === undefined || attempts.length < recordedAttemptsOf(request)) {
        this.#incomplete.set(id, entry);
      } else this.#handOn(joinRequest(request, attempts));
    }
  }

  /** What is missing of those without a record after that is lost. */
  #giveUpUntil(moment: number): void {
    for (const [id, { request, attempts, storedAtMs }] of this.#incomplete) {
      if (storedAtMs > moment) return;
      this.#incomplete.delete(id);
      const [first] = attempts;
      if (request !== undefined) this.#handOn(joinRequest(request, attempts));
      else if (first !== undefined) this.#handOn(joinAbandoned(first, attempts));
    }
  }

  #take(id: string): Entry | undefined {
    for (const entries of [this.#recent, this.#incomplete]) {
      const entry = entries.get(id);
      if (entry !== undefined) {
        entries.delete(id);
        return entry;
      }
    }
    return undefined;
  }

  #handOn(request: JoinedRequest): void {
    const { sinceMs, onRequest } = this.#options;
    if (request.receivedAtMs >= sinceMs) onRequest(request);
  }
}

/** An offer that was neither accepted nor refused may have been accepted too late, and be recorded. */
function recordedAttemptsOf({ attempts, refused_offers: refused = 0 }: RequestRecord): number {
  return attempts - refused;
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
