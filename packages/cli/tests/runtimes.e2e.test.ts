import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, useLeakCheck, type TestStack } from '@sluice/devkit';
import { startSimulator } from '@sluice/simulator';
import { expect, onTestFinished, test } from 'vitest';

useLeakCheck({ timeoutMs: 10_000 });

async function listModels({ apiRoot, apiKey }: TestStack): Promise<string[]> {
  const response = await fetch(`${apiRoot}/models`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const { data } = (await response.json()) as { data: { id: string; context_length?: number }[] };
  return data.map(({ id, context_length }) => `${id} ${String(context_length)}`).toSorted();
}

async function complete(
  { apiRoot, apiKey }: TestStack,
  model: string,
  outputTokens = 4,
): Promise<number> {
  const response = await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: outputTokens,
    }),
  });
  await response.body?.cancel();
  return response.status;
}

test('runtimes are used with the models that they serve, and these models are deleted when the runtimes are no longer given', async () => {
  const state = await mkdtemp(join(tmpdir(), 'sluice-runtimes-'));
  onTestFinished(async () => rm(state, { recursive: true, force: true }));
  await using small = await startSimulator({
    models: [{ name: 'vendor/small', reasoning: false, contextLength: 4_096 }],
  });
  await using large = await startSimulator({
    models: [{ name: 'large', reasoning: true, contextLength: 16_384 }],
  });

  {
    await using stack = await startStack({ state, runtimes: [small.url, `${large.url}/v1`] });
    const names = (await stack.services()).map(({ name }) => name);
    expect(names.filter((name) => /worker|simulator/.test(name))).toEqual(['worker', 'worker-2']);
    expect(await listModels(stack)).toEqual(['large 16384', 'vendor/small 4096']);
    expect(await complete(stack, 'vendor/small')).toBe(200);
    expect(await complete(stack, 'large')).toBe(200);
  }

  await using stack = await startStack({ state });
  expect(await listModels(stack)).toEqual([
    'sluice-demo 262144',
    'sluice-small 262144',
    'sluice-strict 262144',
  ]);
  // The largest output that coding agents ask for.
  for (const model of ['sluice-demo', 'sluice-small', 'sluice-strict']) {
    expect(await complete(stack, model, 65_536)).toBe(200);
  }
});
