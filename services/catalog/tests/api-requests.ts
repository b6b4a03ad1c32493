import { DEFAULT_RETENTION_HEADER, HeaderName } from '@sluice/contracts';
import { expect } from 'vitest';

/** A model of the simulated runtime that does not reason. */
export const MODEL = 'sluice-small';

export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Lists the models, or gets the one with this id. The credential is null for a request without any. */
export async function getModels(
  apiRoot: string,
  credential: string | null,
  id?: string,
): Promise<ApiReply> {
  return read(
    await fetch(`${apiRoot}/models${id === undefined ? '' : `/${id}`}`, {
      headers: authorization(credential),
    }),
  );
}

export async function complete(
  apiRoot: string,
  credential: string | null,
  parameters: object = {},
): Promise<ApiReply> {
  const body = {
    model: MODEL,
    messages: [{ role: 'user', content: 'Hello\n@sim {"tokens": 2}' }],
    ...parameters,
  };
  return read(
    await fetch(`${apiRoot}/chat/completions`, {
      method: 'POST',
      headers: { ...authorization(credential), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

/** One reply of each of the three operations. */
export async function everyOperation(
  apiRoot: string,
  credential: string | null,
): Promise<ApiReply[]> {
  return Promise.all([
    getModels(apiRoot, credential),
    getModels(apiRoot, credential, MODEL),
    complete(apiRoot, credential),
  ]);
}

export interface ExpectedRefusal {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param?: string;
  /** Null means that the header must be missing. */
  readonly retention: string | null;
  readonly rateLimited: boolean;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Compares the status, body and headers of a refusal. */
export function expectRefusal(reply: ApiReply, expected: ExpectedRefusal): void {
  const { status, type, code, param = null, retention, rateLimited } = expected;
  const { headers } = reply;
  expect(reply).toMatchObject({ status, body: { error: { type, code, param } } });
  const id = headers.get(HeaderName.requestId);
  expect(id).toMatch(UUID);
  expect(headers.get(HeaderName.serverRequestId)).toBe(id);
  expect(headers.get(DEFAULT_RETENTION_HEADER)).toBe(retention);
  const limits = [...headers.keys()].filter((name) => name.startsWith('x-ratelimit-'));
  expect(limits.length > 0).toBe(rateLimited);
}

async function read(response: Response): Promise<ApiReply> {
  const { status, headers } = response;
  const body: unknown = await response.json();
  return { status, headers, body };
}

function authorization(credential: string | null): Record<string, string> {
  return credential === null ? {} : { authorization: `Bearer ${credential}` };
}
