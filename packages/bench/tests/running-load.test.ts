import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { afterEach, describe, expect, it } from 'vitest';
import { RunningLoad } from '../src/load/running-load.ts';

useLeakCheck();

const BODY = JSON.stringify({ stream: true });
const PIECE = 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n';

let server: Server | undefined;
let load: RunningLoad | undefined;

afterEach(async () => {
  await load?.stop();
  const { promise, resolve } = Promise.withResolvers<void>();
  server?.close(() => resolve());
  server?.closeAllConnections();
  await promise;
});

/** Refuses this many requests. To each later request it sends one event and leaves the stream open. */
async function startRuntime(refusals: number): Promise<{ host: string; port: number }> {
  let refused = 0;
  const started = createServer((request, response) => {
    request.resume();
    if (refused < refusals) {
      refused += 1;
      response.writeHead(503, { 'content-length': 2 }).end('{}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(PIECE);
  });
  server = started;
  const { promise, resolve } = Promise.withResolvers<void>();
  started.listen(0, '127.0.0.1', () => resolve());
  await promise;
  const { port } = started.address() as AddressInfo;
  return { host: '127.0.0.1', port };
}

describe('streams that are held open', () => {
  it('are opened again until each has begun, and stay open', async () => {
    const target = { ...(await startRuntime(4)), path: '/', headers: {} };
    const running = new RunningLoad({
      target,
      bodies: Array.from({ length: 10 }, () => BODY),
      pattern: { kind: 'held streams', opensPerSecond: 1_000 },
    });
    load = running;
    await waitUntil(() => running.read().begun === 10, { what: 'ten streams to begin' });
    expect(running.read()).toMatchObject({ begun: 10, open: 10, failed: 4, failures: { 503: 4 } });
  });
});
