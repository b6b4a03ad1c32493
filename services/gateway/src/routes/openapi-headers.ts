import { HeaderName, RATE_LIMIT_HEADERS, LIMIT_NAMES, type LimitName } from '@sluice/contracts';
import type { JsonObject } from '../request/schema/fields.ts';

/** How far the request of a reply got, which decides the headers of the reply. */
export interface ReplyHeaders {
  /** The credential is valid, so the retention of the organization is known. */
  readonly authenticated: boolean;
  /** The limits have admitted or refused the request, so the reply says what is left of them. */
  readonly admitted: boolean;
  /** A retry may succeed, and the reply says when. */
  readonly retryLater: boolean;
  /** The reply says whether to retry. */
  readonly advisesRetry: boolean;
}

interface HeaderScope extends ReplyHeaders {
  readonly retentionHeader: string;
  /** Only chat completions are charged for tokens. */
  readonly countsTokens: boolean;
}

const nonNegativeInteger = { type: 'integer', minimum: 0 };
const positiveInteger = { type: 'integer', minimum: 1 };

/** Descriptions of the headers of one reply, by name. */
export function describeHeaders(scope: HeaderScope): JsonObject {
  const headers: Record<string, JsonObject> = {
    [HeaderName.requestId]: {
      description: 'Assigned by the server; an id sent by the client is not reused.',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    },
    [HeaderName.serverRequestId]: {
      description: `A copy of ${HeaderName.requestId}.`,
      required: true,
      schema: { type: 'string', format: 'uuid' },
    },
  };
  if (scope.authenticated) {
    headers[scope.retentionHeader] = {
      description:
        'What is kept of the content: `zero`, `standard` or `contributor`. More values may be ' +
        'added; an unknown one promises nothing.',
      required: true,
      schema: { type: 'string' },
    };
  }
  if (scope.admitted) {
    for (const limit of LIMIT_NAMES) {
      if (scope.countsTokens || limit.startsWith('requests')) describeLimitHeaders(limit, headers);
    }
  }
  if (scope.retryLater) {
    headers[HeaderName.retryAfter] = {
      description: 'Seconds, rounded up.',
      schema: positiveInteger,
    };
    headers[HeaderName.retryAfterMs] = {
      description: 'The same delay in milliseconds.',
      schema: positiveInteger,
    };
  }
  if (scope.advisesRetry) {
    headers[HeaderName.shouldRetry] = {
      description: '`false` when waiting a minute cannot help.',
      schema: { type: 'string', enum: ['false'] },
    };
  }
  return headers;
}

/**
 * Adds the three headers of a limit. Replies leave them out if the organization does not have the limit, or if quota
 * did not say what is left of it.
 */
function describeLimitHeaders(limit: LimitName, headers: Record<string, JsonObject>): void {
  const { limit: capacity, remaining, reset } = RATE_LIMIT_HEADERS[limit];
  const counted = limit.startsWith('requests') ? 'requests' : 'tokens';
  const daily = limit.endsWith('day');
  headers[capacity] = {
    description: `Most ${counted} per ${daily ? 'UTC calendar day' : 'minute'}.`,
    schema: nonNegativeInteger,
  };
  headers[remaining] = {
    description: `What is left of them, rounded down.`,
    schema: nonNegativeInteger,
  };
  headers[reset] = {
    description: daily
      ? 'Time until the next UTC midnight, in seconds.'
      : 'Time until the capacity is full again without further requests, in seconds.',
    schema: { type: 'string', pattern: String.raw`^\d+(\.\d{1,3})?s$` },
  };
}
