import type { RequestOutcome } from '@sluice/contracts';
import type { CountedTokens } from './answer-collector.ts';
import type { Exchange } from './exchange.ts';

/** What a client knows of a request, to hold the ledger's record of it against. */
export interface SeenOutcome {
  readonly requestId: string;
  /** Where it was sent: scheme, host and port of a gateway. */
  readonly origin: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** What the record may say; empty when there must be none. */
  readonly outcomes: readonly RequestOutcome[];
  /** Whether there may be no record, although the process that writes it was never broken. */
  readonly optional: boolean;
  /** As the reply itself counted them. */
  readonly tokens: CountedTokens | undefined;
}

/** Refusals that may come before it is known who asks, and are then nobody's in the ledger. */
const BEFORE_AUTHENTICATION = new Set(['authentication_unavailable', 'service_unavailable']);

/** Everything that clients saw, by the ids of their requests. */
export class OutcomeBook {
  readonly #seen = new Map<string, SeenOutcome>();
  readonly #repeated: string[] = [];
  #nameless = 0;

  get seen(): ReadonlyMap<string, SeenOutcome> {
    return this.#seen;
  }

  /** Ids that two replies bore. */
  get repeated(): readonly string[] {
    return this.#repeated;
  }

  /** Requests without a reply that would tell their id. */
  get nameless(): number {
    return this.#nameless;
  }

  add(exchange: Exchange): void {
    const requestId = exchange.headers['x-request-id'];
    if (typeof requestId !== 'string') {
      this.#nameless += 1;
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
  // The last bytes of a whole reply may have been on their way when the client left.
  if (ending === 'left') return { outcomes: ['cancelled', 'completed', 'failed'], optional: false };
  return { outcomes: ['cancelled', 'failed', 'refused', 'completed'], optional: false };
}
