import { readFileSync, readdirSync } from 'node:fs';
import { useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import { expect, test } from 'vitest';
import { completionHead } from './completion-request.ts';
import { World } from './conformance/world.ts';
import type { RawClient } from './raw-client.ts';
import { storedOutcomes } from './stored-outcomes.ts';

useLeakCheck();
const stack = useStack({ environment: { SIMULATOR_TTFT_MS: '0' } });

const CLIENTS = 8;
const TOKENS = 10_000;
const MEBIBYTE = 1_048_576;
/** The longest possible id, because the operating system buffers more small events than the test sends. */
const LONG_MODEL = '🚰'.repeat(256);
const content = `x\n@sim ${JSON.stringify({ tokens: TOKENS, reasoning: 0, itl_ms: 0.5 })}`;
const messages = [{ role: 'user', content }];
const BODY = Buffer.from(
  JSON.stringify({ model: LONG_MODEL, stream: true, messages, max_tokens: TOKENS }),
);

function residentBytes(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4_096;
}

function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function metric(url: string, name: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1]);
}

async function askWithoutReading(world: World, key: string): Promise<RawClient> {
  const client = await world.raw();
  client.socket.pause();
  client.send(completionHead(key, `content-length: ${BODY.length}`), BODY);
  return client;
}

test.skipIf(process.platform !== 'linux')(
  'clients that read nothing while 10,000 tokens arrive are disconnected, and their jobs stop',
  async () => {
    const simulator = await stack().service('simulator');
    const gateway = (await stack().service('gateway')).pid ?? 0;
    await using world = await World.open(stack());
    const model = { owned_by: 'suite', pool: 'default', runtime_model: 'sluice-demo' };
    await world.create('models', { ...model, id: LONG_MODEL });
    const { id: organization, key } = await world.tenant();

    // A client that reads gets all tokens.
    const answer = await (await world.send(BODY, key)).text();
    expect(answer.match(/"content":/g)).toHaveLength(TOKENS);
    expect(answer).toMatch(/data: \[DONE\]\n\n$/);

    const resident = residentBytes(gateway);
    const descriptors = openDescriptors(gateway);
    await using stuck = new AsyncDisposableStack();
    const clients: RawClient[] = [];
    for (let count = 0; count < CLIENTS; count += 1) {
      clients.push(stuck.use(await askWithoutReading(world, key)));
    }
    await waitUntil(async () => (await metric(simulator.url, 'sim:aborted_total')) === CLIENTS, {
      what: 'the generations to stop',
      timeoutMs: 45_000,
    });
    expect(await metric(simulator.url, 'sim:finished_total')).toBe(1);
    // The gateway has closed its sockets, although no client has disconnected.
    await waitUntil(() => openDescriptors(gateway) <= descriptors, {
      what: 'the sockets to be destroyed',
    });
    expect(residentBytes(gateway) - resident).toBeLessThan(100 * MEBIBYTE);

    for (const { socket } of clients) socket.resume();
    for (const client of clients) {
      const text = await client.waitForClose();
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect([text.includes('[DONE]'), text.endsWith('\r\n0\r\n\r\n')]).toEqual([false, false]);
    }

    const records = await waitUntil(
      async () => {
        const found = await storedOutcomes(stack(), organization);
        return found.length === 2 * (CLIENTS + 1) ? found : undefined;
      },
      { what: 'all outcomes to be in the ledger' },
    );
    const requests = records.filter((record) => record.kind === 'request');
    expect(requests.filter(({ outcome }) => outcome === 'completed')).toMatchObject([
      { delivered_tokens: TOKENS },
    ]);
    const cancelled = requests.filter(({ outcome }) => outcome === 'cancelled');
    expect(cancelled).toHaveLength(CLIENTS);
    expect(cancelled.every(({ delivered_tokens: sent }) => sent > 0 && sent < TOKENS)).toBe(true);
    const attempts = records.filter((record) => record.kind === 'attempt');
    const stopped = attempts.filter(({ reason }) => reason === 'cancelled');
    expect(stopped).toHaveLength(CLIENTS);
    expect(stopped.every(({ generated_tokens: made }) => made < TOKENS)).toBe(true);
  },
);
