import type { IncomingMessage } from 'node:http';

const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** What the client waits for before it sends its body. By the rule of Node, only HTTP/1.1 has expectations. */
export function readExpectation({
  headers,
  httpVersion,
}: IncomingMessage): 'none' | 'continue' | 'unknown' {
  const { expect } = headers;
  if (expect === undefined || httpVersion !== '1.1') return 'none';
  return CONTINUE.test(expect) ? 'continue' : 'unknown';
}
