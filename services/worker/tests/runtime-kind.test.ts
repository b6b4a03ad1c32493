import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useLeakCheck, waitUntil } from '@sluice/testkit';
import { describe, expect, it } from 'vitest';
import type { RuntimeKind } from '../src/runtime/dialect.ts';
import { RuntimeClient } from '../src/runtime/runtime-client.ts';
import { RuntimeWatch } from '../src/runtime/runtime-watch.ts';
import { silentLogger } from './gateway-double.ts';

useLeakCheck();

/** What is found of a runtime whose models have this owner. */
async function kindFound(owner: string, kind: RuntimeKind | 'auto'): Promise<RuntimeKind> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/v1/models' ? 200 : 404;
    response.end(JSON.stringify({ data: [{ id: 'm', owned_by: owner }] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await using client = new RuntimeClient({ url, apiKey: undefined, connections: 2 });
    using watch = new RuntimeWatch({
      client,
      kind,
      logger: silentLogger,
      onChange: () => undefined,
    });
    await waitUntil(() => watch.up, { what: 'the runtime to be found' });
    return watch.state.dialect.kind;
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

describe('the kind of a runtime', () => {
  it.each([
    ['vllm', 'vllm'],
    ['llamacpp', 'llama.cpp'],
    ['sglang', 'sglang'],
    ['somebody', 'openai'],
  ])('is told by its models: %s is %s', async (owner, kind) => {
    expect(await kindFound(owner, 'auto')).toBe(kind);
  });

  it('is what the setting says, whatever the models tell', async () => {
    expect(await kindFound('vllm', 'openai')).toBe('openai');
  });
});
