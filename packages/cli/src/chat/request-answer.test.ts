import { afterEach, expect, test, vi } from 'vitest';
import { AnswerError } from './answer.ts';
import { requestAnswer } from './request-answer.ts';

afterEach(() => vi.unstubAllGlobals());

/** Sends a request to a service that answers with these bytes. Each piece arrives in a separate read. */
async function answerIn(pieces: readonly Uint8Array<ArrayBuffer>[], status = 200) {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response(ReadableStream.from(pieces), { status })),
  );
  const { answer } = await requestAnswer({
    apiRoot: 'http://gateway/compat/v1',
    credential: 'pg-x',
    body: {},
    observer: { reasoning: () => undefined, content: () => undefined },
    signal: new AbortController().signal,
  });
  return answer;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const event = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

test('an answer is complete, at whichever byte its pieces are cut', async () => {
  const whole = bytes(`: a comment\n\n${event('Grüße, ')}${event('Ærø')}data: [DONE]\n\n`);
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const answer = await answerIn([whole.slice(0, cut), whole.slice(cut)]);
    expect(answer.message.content).toBe('Grüße, Ærø');
  }
});

test('an answer without an end marker is an error', async () => {
  await expect(answerIn([bytes(event('Hi'))])).rejects.toThrow(
    new AnswerError('the connection ended before the answer did'),
  );
});

test('a refusal is shown with the message of the service', async () => {
  const error = { message: 'Too many.', type: 'rate_limit_error', param: null, code: null };
  await expect(answerIn([bytes(JSON.stringify({ error }))], 429)).rejects.toThrow(
    new AnswerError('Too many. (429)'),
  );
});
