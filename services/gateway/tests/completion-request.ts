import { MODEL } from './fake-catalog.ts';

export const API_ROOT = '/compat/v1';

/** The least that a completion is asked for with. */
export const REQUEST = { model: MODEL.id, messages: [{ role: 'user', content: 'Hi' }] };

/** The head of a completion as bytes. How its body comes is said by the lines that are given. */
export function completionHead(key: string, ...lines: readonly string[]): string {
  return [
    `POST ${API_ROOT}/chat/completions HTTP/1.1`,
    'host: a',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    ...lines,
    '\r\n',
  ].join('\r\n');
}

/** A whole completion as bytes, with this change to its body. */
export function completionBytes(key: string, change: object = {}, version = '1.1'): string {
  const body = JSON.stringify({ ...REQUEST, ...change });
  const head = completionHead(key, `content-length: ${Buffer.byteLength(body)}`);
  return head.replace('HTTP/1.1', `HTTP/${version}`) + body;
}
