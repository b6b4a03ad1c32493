import { startStack, useLeakCheck, waitUntil, type TestStack } from '@sluice/testkit';
import { describe, expect, test } from 'vitest';

useLeakCheck({ timeoutMs: 10_000 });

interface OpenStream {
  /** What has come so far. */
  text(): string;
  /** Resolves when the stream has ended, whichever way. */
  readonly ended: Promise<void>;
}

/** A stream that has begun. */
async function openStream({ apiRoot, apiKey }: TestStack, orders: object): Promise<OpenStream> {
  const response = await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sluice-small',
      messages: [{ role: 'user', content: `Hello\n@sim ${JSON.stringify(orders)}` }],
      stream: true,
    }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async () => {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      text += next.value;
    }
  };
  // A stream that fails says why, and then its connection is cut.
  const ended = read().catch(() => undefined);
  await waitUntil(() => text.includes('"content"'), { what: 'the stream to begin' });
  return { text: () => text, ended };
}

const TOKENS = 100;
/** Five seconds in all. */
const LONG = { tokens: TOKENS, itl_ms: 50 };

describe('a process of the stack that is told to end', () => {
  test.each(['worker', 'gateway'])('first ends its streams: %s', async (name) => {
    await using stack = await startStack();
    const before = await stack.service(name);
    const stream = await openStream(stack, LONG);
    await stack.kill(name, 'SIGTERM');
    await stream.ended;
    expect(stream.text().match(/"content":"/g)).toHaveLength(TOKENS);
    expect(stream.text().trimEnd()).toMatch(/data: \[DONE\]$/);
    await stack.restarted(before);
  });

  test('is announced by a gateway, which serves meanwhile', async () => {
    await using stack = await startStack();
    const { healthUrl } = await stack.service('gateway');
    await stack.kill('gateway', 'SIGTERM');
    await waitUntil(async () => (await fetch(String(healthUrl))).status === 503, {
      what: 'the gateway to announce its end',
    });
    const stream = await openStream(stack, { tokens: 2 });
    await stream.ended;
    expect(stream.text().trimEnd()).toMatch(/data: \[DONE\]$/);
  });
});

test('an interrupted stack waits for no drain, and says so in its streams', async () => {
  await using stack = await startStack();
  const stream = await openStream(stack, { tokens: 4_000, itl_ms: 50 });
  const askedAt = performance.now();
  expect(await stack.stop('SIGINT')).toBe(0);
  expect(performance.now() - askedAt).toBeLessThan(15_000);
  await stream.ended;
  expect(stream.text()).toContain('"error"');
});
