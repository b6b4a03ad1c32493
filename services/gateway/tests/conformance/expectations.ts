import { ChatCompletion, ErrorBody } from '@sluice/contracts';
import { expect } from 'vitest';
import type { JsonBody, World } from './world.ts';

export interface ExpectedError {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks an error reply. Returns its message. */
export async function expectError(reply: Response, expected: ExpectedError): Promise<string> {
  const text = await reply.text();
  const { error } = ErrorBody.parse(JSON.parse(text));
  expect({
    status: reply.status,
    type: error.type,
    code: error.code,
    param: error.param,
    message: error.message,
  }).toMatchObject(expected);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(reply.headers.get('x-request-id')).toMatch(UUID);
  return error.message;
}

/** Requests a completion that is not streamed, checks its shape and returns it. */
export async function whole(world: World, change: JsonBody): Promise<ChatCompletion> {
  const reply = await world.complete(change);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  return ChatCompletion.parse(await reply.json());
}

export function rateLimitNames(reply: Response): string[] {
  return [...reply.headers.keys()].filter((name) => name.startsWith('x-ratelimit-')).toSorted();
}

/** The headers of the limits on requests, per minute and per day. */
export const REQUEST_TRIOS = ['limit', 'remaining', 'reset']
  .flatMap((part) => [`x-ratelimit-${part}-requests`, `x-ratelimit-${part}-requests-day`])
  .toSorted();

export const ALL_TRIOS = [
  ...REQUEST_TRIOS,
  ...REQUEST_TRIOS.map((name) => name.replace('requests', 'tokens')),
].toSorted();
