import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type PastGeneration,
  type Simulator,
  type SimulatorState,
  simulatedAnswer,
  startSimulator,
} from '../src/index.ts';
import { askStreamed, askWhole, gather, post, question } from './ask.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ slots: 2 });
});
afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
});

const slow = { reasoning: 0, tokens: 10_000, itl_ms: 5 };

async function expectSoon(expected: Partial<SimulatorState>): Promise<void> {
  await vi.waitFor(() => expect(simulator.state()).toMatchObject(expected), {
    interval: 5,
    timeout: 5_000,
  });
}

/** Reads the first piece of the stream. */
async function firstPiece(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  await reader?.read();
  reader?.releaseLock();
}

describe('slots', () => {
  test('without a free slot a request waits, with its status already sent', async () => {
    const leaving = new AbortController();
    const open = [1, 2].map(() =>
      post(simulator, question('x', slow, { stream: true }), { signal: leaving.signal }),
    );
    await Promise.all(open);
    await expectSoon({ running: 2, waiting: 0 });
    const third = await post(
      simulator,
      question('y', { tokens: 3, reasoning: 0 }, { stream: true }),
    );
    expect(third.status).toBe(200);
    await expectSoon({ running: 2, waiting: 1, started: 2, accepted: 3 });
    const page = await (await fetch(`${simulator.url}/metrics`)).text();
    expect(page).toContain('vllm:num_requests_running{engine="0",model_name="sluice-demo"} 2\n');
    expect(page).toContain('vllm:num_requests_waiting{engine="0",model_name="sluice-demo"} 1\n');
    expect(page).toMatch(/kv_cache_usage_perc\{engine="0",model_name="sluice-demo"\} 0\.0\d+/);
    leaving.abort();
    expect(gather(await third.text()).done).toBe(true);
    await expectSoon({ running: 0, waiting: 0, finished: 1, aborted: 2 });
  });

  test('waiting requests are served in order', async () => {
    await using narrow = await startSimulator({ slots: 1 });
    const order: number[] = [];
    const leaving = new AbortController();
    const blocker = question('x', { stall_after: 0 }, { stream: true });
    await post(narrow, blocker, { signal: leaving.signal });
    const asks: Promise<unknown>[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const body = question(`w${turn}`, { tokens: 1, itl_ms: 1 });
      asks.push(askWhole(narrow, body).then(() => order.push(turn)));
      await vi.waitFor(() => expect(narrow.state().waiting).toBe(turn + 1));
    }
    leaving.abort();
    await Promise.all(asks);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('a client that disconnects', () => {
  test.each([
    ['before the first token of a stream', { ...slow, ttft_ms: 60_000 }, true],
    ['in the middle of a stream', slow, true],
    ['a stream that stalls', { ...slow, stall_after: 2 }, true],
    ['a reply in one piece', slow, false],
  ])('%s frees its slot at once', async (_title, steering, stream) => {
    const leaving = new AbortController();
    const asked = post(simulator, question('x', steering, { stream }), { signal: leaving.signal });
    if (stream) {
      const response = await asked;
      if (!('ttft_ms' in steering)) await firstPiece(response);
    }
    await expectSoon({ running: 1 });
    leaving.abort();
    await asked.catch(() => undefined);
    await expectSoon({ running: 0, waiting: 0, aborted: 1, finished: 0, failed: 0 });
    const { tokens_generated: generated } = simulator.state();
    await askWhole(simulator, question('after', { tokens: 5, reasoning: 0, itl_ms: 5 }));
    // Five ticks of the clock later, only the tokens of the new answer were added.
    expect(simulator.state().tokens_generated).toBe(generated + 5);
  });

  test('while its request waits, never starts a generation', async () => {
    const blockers = new AbortController();
    await Promise.all(
      [1, 2].map(() =>
        post(simulator, question('x', { stall_after: 0 }, { stream: true }), {
          signal: blockers.signal,
        }),
      ),
    );
    const leaving = new AbortController();
    await post(simulator, question('y', slow, { stream: true }), { signal: leaving.signal });
    await expectSoon({ waiting: 1 });
    leaving.abort();
    await expectSoon({ waiting: 0, aborted: 1, aborted_waiting: 1, started: 2 });
    blockers.abort();
    await expectSoon({ running: 0, aborted: 3 });
  });

  test('at a random moment, fifty times, leaves nothing behind', async () => {
    const departures = Array.from({ length: 50 }, async (_, index) => {
      const leaving = new AbortController();
      const steering = { ...slow, ttft_ms: index % 7 };
      const asked = post(simulator, question(`c${index}`, steering, { stream: index % 3 !== 0 }), {
        signal: leaving.signal,
      });
      const seen = simulator.state().tokens_generated;
      await vi.waitFor(
        () => expect(simulator.state().tokens_generated).toBeGreaterThanOrEqual(seen + (index % 5)),
        { interval: 1, timeout: 20_000 },
      );
      leaving.abort();
      await asked.then((response) => response.text()).catch(() => undefined);
    });
    await Promise.all(departures);
    await expectSoon({ running: 0, waiting: 0, finished: 0 });
    const { accepted, aborted } = simulator.state();
    expect(aborted).toBe(accepted);
  });
});

test('a client that does not read uses no slot, and gets the whole answer when it reads', async () => {
  const body = question('x', { tokens: 40_000, reasoning: 0 }, { model: 'big', stream: true });
  const models = [{ name: 'big', reasoning: false, contextLength: 100_000 }];
  await using busy = await startSimulator({ models });
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  const outgoing = httpRequest(
    `${busy.url}/v1/chat/completions`,
    { method: 'POST', headers: { 'content-type': 'application/json' } },
    resolve,
  );
  outgoing.end(JSON.stringify(body));
  const response = await promise;
  response.pause();
  await vi.waitFor(() => expect(busy.state()).toMatchObject({ finished: 1, running: 0 }), {
    timeout: 5_000,
  });
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  expect(gather(Buffer.concat(pieces).toString()).content).toBe(
    simulatedAnswer(body, models).content,
  );
});

describe('time', () => {
  test('the first token and the following ones arrive at their times', async () => {
    const started = performance.now();
    await askStreamed(
      simulator,
      question('x', { tokens: 11, reasoning: 0, ttft_ms: 100, itl_ms: 20 }),
    );
    const streamed = performance.now() - started;
    expect(streamed).toBeGreaterThanOrEqual(299);
    expect(streamed).toBeLessThan(5_000);
    const again = performance.now();
    await askWhole(
      simulator,
      question('x', { tokens: 11, reasoning: 0, ttft_ms: 100, itl_ms: 20 }),
    );
    expect(performance.now() - again).toBeGreaterThanOrEqual(299);
  });

  test('the settings of the simulator apply without a @sim line', async () => {
    await using paced = await startSimulator({ timeToFirstTokenMs: 150, betweenTokensMs: 0 });
    const started = performance.now();
    await askWhole(paced, { model: 'sluice-small', messages: [{ role: 'user', content: 'x' }] });
    expect(performance.now() - started).toBeGreaterThanOrEqual(149);
  });
});

describe('an end that the @sim line delays', () => {
  const steering = { reasoning: 0, tokens: 5, end_ms: 60_000 };

  test('comes after the last token, and until then the answer is not finished', async () => {
    const leaving = new AbortController();
    const body = question('x', steering, { stream: true });
    const response = await post(simulator, body, { signal: leaving.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const { content } = simulatedAnswer(body);
    while (gather(text).content !== content) text += (await reader?.read())?.value ?? '';
    expect(gather(text)).toMatchObject({ done: false, finishReasons: [] });
    expect(simulator.state()).toMatchObject({ running: 1, tokens_generated: 5, finished: 0 });
    leaving.abort();
    await expectSoon({ running: 0, aborted: 1, tokens_generated: 5 });
  });

  test.each([true, false])('changes nothing else (streamed: %s)', async (stream) => {
    const body = question('x', { ...steering, end_ms: 50 });
    const started = performance.now();
    if (stream) {
      expect(await askStreamed(simulator, body)).toMatchObject({
        content: simulatedAnswer(body).content,
        finishReasons: ['stop'],
        done: true,
      });
    } else await askWhole(simulator, body);
    expect(performance.now() - started).toBeGreaterThanOrEqual(49);
    await expectSoon({ running: 0, finished: 1, tokens_generated: 5 });
  });
});

test('ended generations are reported with their result, times and tokens', async () => {
  const before = Date.now();
  await askWhole(simulator, question('x', { tokens: 7, reasoning: 0 }));
  await askWhole(simulator, question('x', { tokens: 8, reasoning: 0, fail_after: 3 }));
  const leaving = new AbortController();
  const asked = post(simulator, question('x', slow, { stream: true }), { signal: leaving.signal });
  await firstPiece(await asked);
  leaving.abort();
  await expectSoon({ running: 0, aborted: 1 });
  const answer = await fetch(`${simulator.url}/sim/generations`);
  const { data } = (await answer.json()) as { data: PastGeneration[] };
  expect(data).toMatchObject([
    { ended: 'finished', tokens: 7, generated: 7 },
    { ended: 'failed', tokens: 8, generated: 3 },
    { ended: 'aborted', tokens: slow.tokens },
  ]);
  const times = data.flatMap((past) => [past.accepted_at_ms, past.ended_at_ms]);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(times[0]).toBeGreaterThanOrEqual(before);
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
});

describe('the prefix cache', () => {
  const system = {
    role: 'system',
    content: 'The canal has many locks and gates and weirs. '.repeat(12),
  };
  const turn = (text: string) => ({
    role: 'user',
    content: `${text}\n@sim {"ttft_ms":0,"itl_ms":0,"tokens":60}`,
  });
  const cachedOf = async (messages: unknown[], more: Record<string, unknown> = {}) => {
    const { usage } = await askStreamed(simulator, { model: 'sluice-demo', messages, ...more });
    return usage?.prompt_tokens_details.cached_tokens ?? -1;
  };

  test('finds the earlier turns of a conversation, the answer included', async () => {
    const first = [system, turn('one')];
    expect(await cachedOf(first)).toBe(0);
    const { reasoning, content, promptTokens, completionTokens } = simulatedAnswer({
      model: 'sluice-demo',
      messages: first,
    });
    const answer = { role: 'assistant', reasoning_content: reasoning, content };
    const found = await cachedOf([...first, answer, turn('two')]);
    expect(found).toBeGreaterThan(promptTokens + completionTokens - 16);
    expect(found % 16).toBe(0);
  });

  test('does not cross from one salt or model to another', async () => {
    const messages = [system, turn('one')];
    expect(await cachedOf(messages, { cache_salt: 'a' })).toBe(0);
    expect(await cachedOf(messages, { cache_salt: 'b' })).toBe(0);
    expect(await cachedOf(messages, { cache_salt: 'a' })).toBeGreaterThan(100);
    expect(await cachedOf(messages, { model: 'sluice-small', cache_salt: 'a' })).toBe(0);
    expect(simulator.state().prefix_cache_hit_tokens).toBeGreaterThan(100);
  });

  test('can be overridden for one reply', async () => {
    const { usage } = await askStreamed(simulator, question('x', { cached: 7 }));
    expect(usage?.prompt_tokens_details.cached_tokens).toBe(7);
  });
});
