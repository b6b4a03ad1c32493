import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  HeaderName,
  type LimitName,
  type LimitWindows,
  type ServiceError,
} from '@sluice/contracts';
import { extractTrace, startSpan, type TraceSpan } from '@sluice/service';
import type { Principal } from '../access/principal.ts';
import type { CompletionCounts } from '../request/completion-counts.ts';
import { ClientDisconnectedError } from '../request/read-body.ts';

/** The name of a route in records, metrics and logs. */
export type Operation = 'models' | 'model' | 'completions' | 'openapi' | 'unknown';

export interface RequestContextOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: Operation;
}

/** The decision of quota about a request. */
interface Admission {
  /** The tokens that the request asked for: an estimate of its input. */
  readonly tokens: number;
  /** What was left of each limit. */
  readonly windows: LimitWindows;
  readonly refusedBy: { readonly limit: LimitName; readonly waitMs: number } | undefined;
}

/** One request and its reply, from the request's headers to the last byte of the reply. */
export class RequestContext {
  /** Generated before anything can fail. An id that the client sends is not used. */
  readonly id: string = randomUUID();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: Operation;
  readonly method: string;
  readonly startedAt = performance.now();
  /** Headers of the reply, whatever its status. Checks of the request add to them. */
  readonly headers: Record<string, string> = {};
  /** The client waits for `100 Continue` before it sends the body. */
  awaitsContinue = false;
  principal: Principal | undefined;
  /** The caller is authorized but not charged yet. If a later check fails, the request is charged all the same. */
  isChargeDue = false;
  /** Undefined if quota was not asked, or gave no decision. */
  admission: Admission | undefined;
  /** Set once the model is found in the catalog. Never the client's own text. */
  modelId: string | undefined;
  span: TraceSpan | undefined;
  /**
   * The error that was sent to the client, or for which its connection was cut. Undefined if the client disconnected,
   * or was disconnected for its own behaviour, such as reading its reply too slowly.
   */
  failure: ServiceError | undefined;
  /** What a completion has used and produced so far. */
  counts: CompletionCounts | undefined;
  #disconnected = false;
  readonly #controller = new AbortController();

  constructor({ request, response, operation }: RequestContextOptions) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? 'GET';
    this.operation = operation;
    this.headers[HeaderName.requestId] = this.id;
    this.headers[HeaderName.serverRequestId] = this.id;
  }

  /** The connection ended before the reply was complete. No reply can reach the client. */
  get disconnected(): boolean {
    return this.#disconnected;
  }

  /** Aborts when the client disconnects or the request cannot be completed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sends `100 Continue` if the client waits for it. */
  askForBody(): void {
    if (!this.awaitsContinue) return;
    this.awaitsContinue = false;
    this.response.writeContinue();
  }

  disconnect(): void {
    this.#disconnected = true;
    this.#controller.abort(new ClientDisconnectedError());
  }

  /** Ends a request that cannot be completed, because its body broke off or the server stops. The reply says why. */
  abort(failure: ServiceError): void {
    this.#controller.abort(failure);
  }
}

/** Call it only for a request that passed authentication. */
export function principalOf({ principal }: RequestContext): Principal {
  if (principal === undefined) throw new Error('the request was not authenticated');
  return principal;
}

export function createsCompletion({ operation, method }: RequestContext): boolean {
  return operation === 'completions' && method === 'POST';
}

/** Continues the client's trace if the request carries one. */
export function openSpan({
  request,
  id,
  method,
  operation,
}: RequestContext): RequestContext['span'] {
  return startSpan('gateway.request', {
    role: 'server',
    parent: extractTrace(request.headers),
    attributes: { 'http.request.method': method, 'http.route': operation, 'request.id': id },
  });
}
