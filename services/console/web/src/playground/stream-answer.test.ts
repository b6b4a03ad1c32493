import { expect, test } from 'vitest';
import { newProgress, streamAnswer } from './stream-answer.ts';

const encoder = new TextEncoder();

async function streamOf(pieces: readonly string[], init: ResponseInit = {}) {
  const body = new ReadableStream({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  const progress = newProgress();
  let time = 0;
  await streamAnswer(progress, {
    apiUrl: 'http://api/v1',
    token: 'token',
    body: {},
    signal: new AbortController().signal,
    now: () => (time += 10),
    changed: () => undefined,
    fetch: async () => new Response(body, init),
  });
  return progress;
}

const chunk = (delta: object, rest: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...rest }] })}\n\n`;

test('Reasoning, content, a call in fragments and the usage are put together', async () => {
  const text = [
    ': keepalive\n\n',
    chunk({ reasoning_content: 'Hm' }),
    chunk({ content: 'Hel' }),
    chunk({ content: 'lo' }),
    chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'f', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
    chunk({}, { finish_reason: 'tool_calls' }),
    'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}\n\n',
    'data: [DONE]\n\n',
  ].join('');
  // Split at every seventh character, so that lines and letters are cut anywhere.
  const progress = await streamOf(text.match(/[\s\S]{1,7}/g) ?? []);
  expect(progress).toMatchObject({
    reasoning: 'Hm',
    content: 'Hello',
    toolCalls: [{ id: 'call_1', name: 'f', arguments: '{"a":1}' }],
    finishReason: 'tool_calls',
    tokens: { input: 5, output: 7, cached: 0, reasoning: 0 },
    failure: null,
    ended: true,
  });
});

test('A stream without its end marker is not a complete answer', async () => {
  const progress = await streamOf([chunk({ content: 'half' })]);
  expect(progress.failure?.code).toBe('stream_incomplete');
});

test('An error event in a stream is a failure with its code', async () => {
  const error = { message: 'gone', type: 'upstream_unavailable_error', param: null, code: null };
  const progress = await streamOf([`data: ${JSON.stringify({ error })}\n\n`]);
  expect(progress.failure).toMatchObject({ code: 'upstream_unavailable_error', message: 'gone' });
});

test('A refusal is a failure with its status, its parameter and its delay', async () => {
  const error = {
    message: 'wait',
    type: 'rate_limit_error',
    param: null,
    code: 'rate_limit_exceeded',
  };
  const progress = await streamOf([JSON.stringify({ error })], {
    status: 429,
    headers: { 'retry-after': '12', 'x-request-id': 'req_1' },
  });
  expect(progress).toMatchObject({
    requestId: 'req_1',
    failure: { status: 429, code: 'rate_limit_exceeded', retryAfterSeconds: 12 },
  });
});

test('A reply that does not come from the API is a failure, too', async () => {
  const progress = await streamOf(['<html>'], { status: 502 });
  expect(progress.failure).toMatchObject({ status: 502, code: null });
});
