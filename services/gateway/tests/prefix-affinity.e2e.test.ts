import { useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import { expect, test } from 'vitest';

useLeakCheck();
const WORKERS = 4;
const CONVERSATIONS = 10;
const TURNS = 10;
const stack = useStack({
  workers: WORKERS,
  environment: { SIMULATOR_TTFT_MS: '20', SIMULATOR_ITL_MS: '5' },
});

interface Reply {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens_details: { readonly cached_tokens: number } };
}

/** How many jobs a runtime has, running or waiting. */
async function jobsAt(runtime: string): Promise<number> {
  const metrics = await (await fetch(`${runtime}/metrics`)).text();
  const counts = metrics.matchAll(/^vllm:num_requests_(?:running|waiting)\S* (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Holds a conversation in which each turn repeats the previous messages. Returns the cached tokens of each turn. */
async function converse(number: number): Promise<number[]> {
  const { apiRoot, apiKey } = stack();
  const messages: { role: string; content: string }[] = [
    { role: 'system', content: `You are speaker ${number}. ${'Keep to the point. '.repeat(20)}` },
  ];
  const cached: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    messages.push({
      role: 'user',
      content: `Turn ${turn} of conversation ${number}.\n@sim {"tokens": 20}`,
    });
    const reply = await fetch(`${apiRoot}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sluice-small', messages }),
    });
    const { choices, usage } = (await reply.json()) as Reply;
    cached.push(usage.prompt_tokens_details.cached_tokens);
    messages.push({ role: 'assistant', content: choices[0]?.message.content ?? '' });
  }
  return cached;
}

test('the turns of a conversation find a warm cache, and no worker is far above the mean load', async () => {
  const services = await stack().services();
  const gateway = services.find(({ name }) => name === 'gateway');
  const runtimes = services.filter(({ name }) => name.startsWith('simulator'));
  await waitUntil(
    async () => {
      const health = (await (await fetch(gateway?.healthUrl ?? '')).json()) as {
        workers: unknown[];
      };
      return health.workers.length === WORKERS;
    },
    { what: 'every worker to be known' },
  );
  let most = 0;
  const finished = new AbortController();
  const watch = async () => {
    while (!finished.signal.aborted) {
      const jobs = await Promise.all(runtimes.map(async ({ url }) => jobsAt(url)));
      most = Math.max(most, ...jobs);
    }
  };
  const watching = watch();
  const conversations = await Promise.all(
    Array.from({ length: CONVERSATIONS }, async (_, number) => converse(number)),
  );
  finished.abort();
  await watching;

  const followUps = conversations.flatMap(([, ...later]) => later);
  const warm = followUps.filter((tokens) => tokens > 0).length;
  expect(followUps).toHaveLength(CONVERSATIONS * (TURNS - 1));
  expect(warm / followUps.length).toBeGreaterThanOrEqual(0.9);
  expect(runtimes).toHaveLength(WORKERS);
  expect(most).toBeLessThanOrEqual(Math.ceil((1.5 * CONVERSATIONS) / WORKERS));
});
