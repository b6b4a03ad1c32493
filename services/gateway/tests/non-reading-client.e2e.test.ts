import { readFileSync } from 'node:fs';
import { useLeakCheck, useStack, waitUntil } from '@sluice/testkit';
import { expect, test } from 'vitest';
import { World } from './conformance/world.ts';
import { RawClient } from './raw-client.ts';

useLeakCheck();
const stack = useStack({
  environment: { SIMULATOR_TTFT_MS: '0', STREAM_BUFFER_BYTES: '65536' },
});

const CLIENTS = 2;
const LONG_MODEL = 'suite/long';
/** More than the operating system alone holds for a client that does not read. */
const TOKENS = 30_000;
const MEBIBYTE = 1_048_576;

function residentBytes(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4_096;
}

async function metric(url: string, name: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1]);
}

test.skipIf(process.platform !== 'linux')(
  'clients that read nothing cost bounded memory and are cut off, and their generations stop',
  async () => {
    const { baseUrl, apiKey } = stack();
    const simulator = await stack().service('simulator');
    const gateway = await stack().service('gateway');
    await using world = await World.open(stack());
    await world.create('models', {
      id: LONG_MODEL,
      owned_by: 'suite',
      pool: 'default',
      runtime_model: 'sluice-demo',
    });
    const messages = [{ role: 'user', content: `x\n@sim {"tokens": ${TOKENS}, "itl_ms": 0.2}` }];
    const body = JSON.stringify({ model: LONG_MODEL, stream: true, messages, max_tokens: TOKENS });
    const before = residentBytes(gateway.pid ?? 0);
    await using stuck = new AsyncDisposableStack();
    const clients: RawClient[] = [];
    for (let count = 0; count < CLIENTS; count += 1) {
      const client = stuck.use(await RawClient.connect(Number(new URL(baseUrl).port)));
      clients.push(client);
      client.socket.pause();
      client.send(
        `POST /compat/v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${apiKey}\r\n` +
          `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    }
    await waitUntil(async () => (await metric(simulator.url, 'sim:aborted_total')) === CLIENTS, {
      what: 'the generations to stop',
      timeoutMs: 45_000,
    });
    expect(await metric(simulator.url, 'sim:finished_total')).toBe(0);
    expect(residentBytes(gateway.pid ?? 0) - before).toBeLessThan(100 * MEBIBYTE);
    for (const { socket } of clients) socket.resume();
    for (const client of clients) {
      const text = await client.isClosed();
      expect([text.startsWith('HTTP/1.1 200 OK'), text.includes('[DONE]')]).toEqual([true, false]);
    }
  },
);
