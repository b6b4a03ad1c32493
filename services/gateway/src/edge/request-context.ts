import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HeaderName, type ServiceError } from '@sluice/contracts';
import type { TraceSpan } from '@sluice/telemetry';
import type { CompletionTally } from '../domain/completion-tally.ts';
import type { Principal } from '../domain/principal.ts';

/** As records, metrics and logs name it. */
export type Operation = 'models' | 'model' | 'completions' | 'openapi' | 'unknown';

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: Operation;
}

/** One request and its reply, from the first byte to the last. */
export class Exchange {
  /** Minted before anything can fail; a client's own id is never reused. */
  readonly id: string = randomUUID();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: Operation;
  readonly method: string;
  readonly startedAt = performance.now();
  /** What the reply carries whatever its status; filled while the request passes its checks. */
  readonly headers: Record<string, string> = {};
  /** The client waits for our word before it sends the body. */
  awaitsContinue = false;
  principal: Principal | undefined;
  /** The caller may use the API and was not charged for the request yet: it is charged whatever else is wrong. */
  isChargeDue = false;
  /** The catalog's model, once it is known to exist: never the client's own text. */
  modelId: string | undefined;
  span: TraceSpan | undefined;
  /**
   * What was wrong, when something was: told to the client, or the reason why its connection was cut. None where the
   * client left, or was cut off for its own doing, as one is that takes too little of its reply.
   */
  failure: ServiceError | undefined;
  /** What a completion has used and given so far. */
  tally: CompletionTally | undefined;
  /** What became of a body that could not be read to its end. */
  bodyFailure: ServiceError | undefined;
  /** Ends the reading of the body. Set while it is being read. */
  rejectBody: ((error: ServiceError | ClientGoneError) => void) | undefined;
  #gone = false;
  readonly #abandoned = new AbortController();

  constructor({ request, response, operation }: ExchangeOptions) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? 'GET';
    this.operation = operation;
    this.headers[HeaderName.requestId] = this.id;
    this.headers[HeaderName.serverRequestId] = this.id;
  }

  /** The connection ended before the reply was complete, or ends now: its client left, or was cut off. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Aborts when work on it is of no use any more: nobody is there to reply to, or the server gave it up. */
  get abandoned(): AbortSignal {
    return this.#abandoned.signal;
  }

  /** Its client has left, or is cut off: nobody is told anything more. */
  leave(): void {
    this.#gone = true;
    const reason = new ClientGoneError();
    this.rejectBody?.(reason);
    this.#abandoned.abort(reason);
  }

  /** Gives it up for a reason that its client is still told, as far as its reply allows. */
  abandon(failure: ServiceError): void {
    this.failBody(failure);
    this.#abandoned.abort(failure);
  }

  /** The body cannot be read to its end: whoever reads it, now or later, is told why. */
  failBody(failure: ServiceError): void {
    this.bodyFailure ??= failure;
    this.rejectBody?.(failure);
  }
}

/** Of a request that has passed authentication. */
export function principalOf({ principal }: Exchange): Principal {
  if (principal === undefined) throw new Error('the request was not authenticated');
  return principal;
}

export function createsCompletion({ operation, method }: Exchange): boolean {
  return operation === 'completions' && method === 'POST';
}

/** The client left, or was cut off: there is nobody to reply to. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}
