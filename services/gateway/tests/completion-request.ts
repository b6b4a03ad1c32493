import { MODEL } from './fake-catalog.ts';

export const API_ROOT = '/compat/v1';

/** The smallest valid completion request. */
export const REQUEST = { model: MODEL.id, messages: [{ role: 'user', content: 'Hi' }] };

/** The head of a completion request. The given header lines describe its body. */
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

/** A whole completion request as bytes, with this change to its body. */
export function completionBytes(key: string, change: object = {}, version = '1.1'): string {
  const body = JSON.stringify({ ...REQUEST, ...change });
  const head = completionHead(key, `content-length: ${Buffer.byteLength(body)}`);
  return head.replace('HTTP/1.1', `HTTP/${version}`) + body;
}
