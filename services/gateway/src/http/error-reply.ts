import { HeaderName, type ServiceError } from '@sluice/contracts';
import { HTTP_ERRORS, type HttpError } from './error-table.ts';

/** Said when whoever threw a curable failure did not know for how long it lasts. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A failure as the client sees it. */
export function errorReply(error: ServiceError): ErrorReply {
  const shape = HTTP_ERRORS[error.code];
  return { status: shape.status, headers: retryHeaders(error, shape), body: errorBody(error) };
}

/** Also the data of a stream's error event. */
export function errorBody({ code, message, param }: ServiceError): string {
  const shape = HTTP_ERRORS[code];
  return JSON.stringify({ error: { message, type: shape.type, param, code: shape.code } });
}

function retryHeaders(error: ServiceError, { retry }: HttpError): Record<string, string> {
  const headers: Record<string, string> = {};
  const delay = error.retryAfterMs ?? (retry === 'always' ? DEFAULT_RETRY_AFTER_MS : undefined);
  if (delay !== undefined) {
    const exact = Math.max(1, Math.ceil(delay));
    headers[HeaderName.retryAfter] = String(Math.ceil(exact / 1_000));
    headers[HeaderName.retryAfterMs] = String(exact);
  }
  if (retry === 'never' || (retry === 'as_thrown' && !error.retryable)) {
    headers[HeaderName.shouldRetry] = 'false';
  }
  return headers;
}
