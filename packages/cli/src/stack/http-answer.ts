import { get } from 'node:http';

/** For a process of this machine to say anything. */
export const ANSWER_TIMEOUT_MS = 1_000;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Asks an address on this machine; undefined when nobody answers. Cheaper to load and to repeat than fetch. */
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
