import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Simulator, simulatedAnswer, startSimulator, tokenize } from '../src/index.ts';
import { type Chunk, gather, parseEvents, post, question } from './ask.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
});

const steering = { tokens: 6, reasoning: 0 };
const ask = (fault: Record<string, unknown>, stream = true) =>
  post(simulator, question('x', { ...steering, ...fault }, { stream }));
const known = (fault: Record<string, unknown>) =>
  tokenize(simulatedAnswer(question('x', { ...steering, ...fault })).content ?? '');

/** The text that arrives before the end, and whether the connection broke. */
async function readToTheEnd(response: Response): Promise<{ text: string; broken: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    const pieces: AsyncIterable<Uint8Array> | null = response.body;
    for await (const piece of pieces ?? []) text += decoder.decode(piece, { stream: true });
    return { text, broken: false };
  } catch {
    return { text, broken: true };
  }
}

describe('fail_after', () => {
  test.each([0, 3, 6, 99])(
    'an error follows %i tokens, and [DONE] follows the error as in vLLM',
    async (after) => {
      const response = await ask({ fail_after: after });
      expect(response.status).toBe(200);
      const events = parseEvents(await response.text());
      expect(events.at(-1)?.data).toBe('[DONE]');
      const failure = events.at(-2);
      expect(failure?.name).toBeUndefined();
      expect(JSON.parse(failure?.data ?? '')).toEqual({
        error: {
          message: 'The failure ordered by the @sim line.',
          type: 'InternalServerError',
          param: null,
          code: 500,
        },
      });
      const chunks = events.slice(0, -2).map(({ data }) => JSON.parse(data) as Chunk);
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
      expect(text).toBe(known({ fail_after: after }).slice(0, after).join(''));
      expect(chunks.every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true);
      expect(chunks).toHaveLength(after === 0 ? 0 : Math.min(after, 6) + 1);
      expect(simulator.state()).toMatchObject({ failed: 1, finished: 0, running: 0 });
    },
  );

  test('the error can be an event with its own name', async () => {
    const events = parseEvents(
      await (await ask({ fail_after: 1, fail_as: 'event', done: false })).text(),
    );
    expect(events.at(-1)?.name).toBe('error');
  });

  test('a reply in one piece is a 500', async () => {
    const response = await ask({ fail_after: 1 }, false);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: 500 } });
  });
});

describe('cut_after', () => {
  test.each([0, 3, 6])('the connection breaks after %i tokens', async (after) => {
    const { text, broken } = await readToTheEnd(await ask({ cut_after: after }));
    expect(broken).toBe(true);
    expect(gather(text)).toMatchObject({
      content: known({ cut_after: after }).slice(0, after).join(''),
      done: false,
      finishReasons: [],
    });
    expect(simulator.state()).toMatchObject({ failed: 1, aborted: 0, running: 0 });
  });

  test('a reply in one piece is never sent', async () => {
    await expect(ask({ cut_after: 0 }, false)).rejects.toThrow('fetch failed');
  });
});

describe('stall_after', () => {
  test('nothing more is sent, and the connection and the slot stay', async () => {
    const leaving = new AbortController();
    const body = question('x', { ...steering, stall_after: 2 }, { stream: true });
    const response = await post(simulator, body, { signal: leaving.signal });
    const reader = response.body?.getReader() as
      | ReadableStreamDefaultReader<Uint8Array>
      | undefined;
    let text = '';
    while (parseEvents(text).length < 3) {
      const piece: Uint8Array | undefined = (await reader?.read())?.value;
      text += new TextDecoder().decode(piece);
    }
    expect(gather(text).content).toBe(known({ stall_after: 2 }).slice(0, 2).join(''));
    const silence = Symbol('silence');
    const other = post(simulator, question('y', { tokens: 5, itl_ms: 5 })).then(() => silence);
    expect(await Promise.race([reader?.read(), other])).toBe(silence);
    expect(simulator.state()).toMatchObject({ running: 1, finished: 1 });
    leaving.abort();
    await vi.waitFor(() => expect(simulator.state()).toMatchObject({ running: 0, aborted: 1 }));
  });
});

describe('malformed_after', () => {
  test.each([0, 3])('the token after %i is not JSON, and the rest goes on', async (after) => {
    const events = parseEvents(await (await ask({ malformed_after: after })).text());
    expect(events.pop()?.data).toBe('[DONE]');
    const [broken] = events.splice(after + 1, 1);
    expect(() => void JSON.parse(broken?.data ?? '{}')).toThrow(SyntaxError);
    const rest = events.map(
      ({ data }) => (JSON.parse(data) as Chunk).choices[0]?.delta.content ?? '',
    );
    expect(rest.join('')).toBe(
      known({ malformed_after: after })
        .filter((_, index) => index !== after)
        .join(''),
    );
  });

  test('after the last token it comes before the finish reason', async () => {
    const events = parseEvents(await (await ask({ malformed_after: 50 })).text());
    expect(() => void JSON.parse(events.at(-3)?.data ?? '')).toThrow(SyntaxError);
    expect(JSON.parse(events.at(-2)?.data ?? '')).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
    });
  });

  test('a reply in one piece is not JSON either', async () => {
    const response = await ask({ malformed_after: 0 }, false);
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });
});

test('an invalid @sim line is a 400 with advice', async () => {
  const messages = [{ role: 'user', content: 'x\n@sim {tokens: 3}' }];
  const response = await post(simulator, { model: 'sluice-demo', messages });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('Write one JSON object on one line');
  expect(simulator.state().accepted).toBe(0);
});
