import { get } from 'node:http';

/** Timeout for an answer of a local process. */
export const ANSWER_TIMEOUT_MS = 1_000;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Requests a local URL. Undefined if there is no answer. This function is called often, so it uses node:http without a
 * connection pool, which costs less than fetch.
 */
export async function httpAnswer(url: string): Promise<HttpAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<HttpAnswer | undefined>();
  const request = get(url, { agent: false, timeout: ANSWER_TIMEOUT_MS }, (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      body += text;
    });
    response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    response.once('error', () => resolve(undefined));
  });
  request.once('timeout', () => request.destroy());
  request.once('error', () => resolve(undefined));
  return promise;
}

export async function answersOk(url: string): Promise<boolean> {
  return (await httpAnswer(url))?.status === 200;
}
