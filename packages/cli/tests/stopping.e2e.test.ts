import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck, useStack, waitUntil, type TestStack } from '@sluice/devkit';
import { identify, startProgram } from '@sluice/servers';
import { describe, expect, onTestFinished, test } from 'vitest';

useLeakCheck({ timeoutMs: 10_000 });

interface OpenStream {
  /** The text received so far. */
  text(): string;
  /** Resolves when the stream has ended or failed. */
  readonly ended: Promise<void>;
}

/** Opens a stream and waits for its first token. */
async function openStream({ apiRoot, apiKey }: TestStack, steering: object): Promise<OpenStream> {
  const response = await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sluice-small',
      messages: [{ role: 'user', content: `Hello\n@sim ${JSON.stringify(steering)}` }],
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
  // A failed stream sends the error before the connection is closed.
  const ended = read().catch(() => undefined);
  await waitUntil(() => text.includes('"content"'), { what: 'the stream to begin' });
  return { text: () => text, ended };
}

const TOKENS = 60;
/** Takes three seconds in all. */
const LONG = { tokens: TOKENS, itl_ms: 50 };

describe('a process of the stack that gets a stop signal', () => {
  const stack = useStack();

  test.each(['worker', 'gateway'])('first ends its streams: %s', async (name) => {
    const before = await stack().service(name);
    const stream = await openStream(stack(), LONG);
    await stack().kill(name, 'SIGTERM');
    await stream.ended;
    expect(stream.text().match(/"content":"/g)).toHaveLength(TOKENS);
    expect(stream.text().trimEnd()).toMatch(/data: \[DONE\]$/);
    await stack().restarted(before);
  });

  test('is reported by a gateway, which still serves', async () => {
    const before = await stack().service('gateway');
    await stack().kill('gateway', 'SIGTERM');
    await waitUntil(async () => (await fetch(String(before.healthUrl))).status === 503, {
      what: 'the gateway to announce its end',
    });
    const stream = await openStream(stack(), { tokens: 2 });
    await stream.ended;
    expect(stream.text().trimEnd()).toMatch(/data: \[DONE\]$/);
    await stack().restarted(before);
  });

  test('does not drain when the whole stack is interrupted, and ends its streams with an error', async () => {
    const stream = await openStream(stack(), { tokens: 4_000, itl_ms: 50 });
    const askedAt = performance.now();
    expect(await stack().stop('SIGINT')).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(15_000);
    await stream.ended;
    expect(stream.text()).toContain('"error"');
  });
});

test('a stack ends when the program that started it was killed', async () => {
  const state = await mkdtemp(join(tmpdir(), 'sluice-orphan-'));
  onTestFinished(() => rm(state, { recursive: true, force: true }));
  const script = `
    import { startSluice } from '@sluice/servers';
    const { pid, services } = await startSluice({ state: ${JSON.stringify(state)}, environment: process.env });
    console.log(JSON.stringify([pid, ...(await services()).map((service) => service.pid)]));
  `;
  await using starter = await startProgram({
    name: 'starter',
    program: process.execPath,
    parameters: ['--input-type=module', '--eval', script],
    folder: import.meta.dirname,
    isReady: async ({ firstLine }) => (await firstLine) !== '',
    readyTimeoutMs: 40_000,
  });
  const pids = JSON.parse(await starter.firstLine) as number[];
  expect(pids.length).toBeGreaterThan(7);
  starter.signal('SIGKILL');
  await waitUntil(() => pids.every((pid) => identify(pid) === undefined), {
    what: 'the stack to end',
    timeoutMs: 20_000,
  });
});
