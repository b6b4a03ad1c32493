import type { RequestOutcome } from '@sluice/contracts';
import type { CountedTokens } from './answer-collector.ts';
import type { Exchange } from './exchange.ts';

/** What a client knows about a request, to be compared with the record in the ledger. */
export interface SeenOutcome {
  readonly requestId: string;
  /** Scheme, host and port of the gateway. */
  readonly origin: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Outcomes that the record may have. Empty when there must be no record. */
  readonly outcomes: readonly RequestOutcome[];
  /** Whether the record may be missing although no process was killed. */
  readonly optional: boolean;
  /** The tokens that the reply reported. */
  readonly tokens: CountedTokens | undefined;
}

/** Refusals that can come before authentication. In that case they have no organization and no record. */
const BEFORE_AUTHENTICATION = new Set(['authentication_unavailable', 'service_unavailable']);

/** The results that clients received, by request id. */
export class SeenOutcomes {
  readonly #seen = new Map<string, SeenOutcome>();
  readonly #repeated: string[] = [];
  #withoutId = 0;

  get seen(): ReadonlyMap<string, SeenOutcome> {
    return this.#seen;
  }

  /** Request ids that appeared in two replies. */
  get repeated(): readonly string[] {
    return this.#repeated;
  }

  /** Number of requests without a reply that has a request id. */
  get withoutId(): number {
    return this.#withoutId;
  }

  add(exchange: Exchange): void {
    const requestId = exchange.headers['x-request-id'];
    if (typeof requestId !== 'string') {
      this.#withoutId += 1;
      return;
    }
    if (this.#seen.has(requestId)) this.#repeated.push(requestId);
    const { startedAt, endedAt, answer } = exchange;
    this.#seen.set(requestId, {
      requestId,
      origin: exchange.origin,
      startedAt,
      endedAt,
      ...expectedRecord(exchange),
      tokens: answer?.tokens,
    });
  }
}

function expectedRecord({
  ending,
  status = 0,
  errorCode,
  answer,
}: Exchange): Pick<SeenOutcome, 'outcomes' | 'optional'> {
  if (ending === 'complete') {
    if (status === 401) return { outcomes: [], optional: false };
    if (status === 200) return { outcomes: ['completed'], optional: false };
    if (status < 500) return { outcomes: ['refused'], optional: false };
    return { outcomes: ['failed'], optional: BEFORE_AUTHENTICATION.has(errorCode ?? '') };
  }
  if (answer?.errorCode !== undefined) return { outcomes: ['failed'], optional: false };
  // The last bytes of a complete reply may have been on their way when the client disconnected.
  if (ending === 'left') return { outcomes: ['cancelled', 'completed', 'failed'], optional: false };
  return { outcomes: ['cancelled', 'failed', 'refused', 'completed'], optional: false };
}
