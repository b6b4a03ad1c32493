import { simulatedAnswer } from '@sluice/simulator';
import { describe, expect, it } from 'vitest';
import { AnswerCollector, type CollectedAnswer } from './answer-collector.ts';
import type { Exchange } from './exchange.ts';
import { judgeExchange } from './judge-exchange.ts';

const answer = simulatedAnswer({
  model: 'sluice-demo',
  messages: [{ role: 'user', content: 'What is a sluice?\n@sim {"tokens":12}' }],
});

const collected: CollectedAnswer = {
  reasoning: answer.reasoning ?? '',
  content: answer.content ?? '',
  toolCalls: [],
  finishReason: answer.finishReason,
  tokens: { prompt: answer.promptTokens, completion: answer.completionTokens },
  done: true,
  errorCode: undefined,
  events: 30,
};

function seen(changes: Partial<Exchange>): Exchange {
  return {
    origin: 'http://gateway',
    startedAt: 0,
    endedAt: 1,
    ending: 'complete',
    status: 200,
    headers: {},
    answer: collected,
    errorCode: undefined,
    unreadable: undefined,
    ...changes,
  };
}

const expected = { kind: 'answer', answer, counted: true } as const;
const half = collected.content.slice(0, Math.floor(collected.content.length / 2));
const broken = { ...collected, content: half, done: false, finishReason: null };

function withTokens(tokens: CollectedAnswer['tokens']): CollectedAnswer {
  return { ...collected, tokens };
}

describe('judging the outcome of a request', () => {
  it('judges a complete answer as answered', () => {
    expect(judgeExchange(seen({}), expected).outcome).toBe('answered');
  });

  it.each([
    ['lost a piece', { ...collected, content: collected.content.slice(1) }],
    ['doubled a piece', { ...collected, content: half + collected.content }],
    ['counted other tokens', withTokens({ prompt: answer.promptTokens, completion: 1 })],
    ['read other tokens', withTokens({ prompt: 1, completion: answer.completionTokens })],
    ['did not count its tokens', withTokens(undefined)],
    ['ended for another reason', { ...collected, finishReason: 'length' }],
  ])('finds an answer wrong that %s', (_, changed) => {
    expect(judgeExchange(seen({ answer: changed }), expected).outcome).toBe('wrong');
  });

  it('finds a clean end without [DONE] wrong, even if the content was cut too', () => {
    expect(judgeExchange(seen({ answer: broken }), expected)).toEqual({
      outcome: 'wrong',
      detail: 'a clean end without [DONE]',
    });
  });

  it('judges a cut answer as disturbed', () => {
    expect(judgeExchange(seen({ ending: 'cut', answer: broken }), expected).outcome).toBe(
      'disturbed',
    );
  });

  it('judges a cut reply without streaming as disturbed, and an empty one as wrong', () => {
    expect(judgeExchange(seen({ ending: 'cut', answer: undefined }), expected).outcome).toBe(
      'disturbed',
    );
    expect(judgeExchange(seen({ answer: undefined }), expected).outcome).toBe('wrong');
  });

  it('finds a cut answer wrong that is not a beginning', () => {
    const gap = { ...broken, content: collected.content.slice(2, 9) };
    expect(judgeExchange(seen({ ending: 'cut', answer: gap }), expected).outcome).toBe('wrong');
  });

  it('finds a beginning with a finish reason wrong, unless only usage and [DONE] are missing', () => {
    const ended = { ...broken, finishReason: 'stop' };
    expect(judgeExchange(seen({ ending: 'cut', answer: ended }), expected).outcome).toBe('wrong');
    const undone = { ...collected, done: false, tokens: undefined };
    expect(judgeExchange(seen({ ending: 'cut', answer: undone }), expected).outcome).toBe(
      'disturbed',
    );
  });

  it('rejects a token count that was not requested', () => {
    const uncounted = { ...expected, counted: false };
    expect(judgeExchange(seen({ answer: withTokens(undefined) }), uncounted).outcome).toBe(
      'answered',
    );
    expect(judgeExchange(seen({}), uncounted).outcome).toBe('wrong');
  });

  it('requires a complete, readable list', () => {
    const list = { kind: 'list' } as const;
    expect(judgeExchange(seen({ answer: undefined }), list).outcome).toBe('answered');
    expect(judgeExchange(seen({ answer: undefined, ending: 'cut' }), list).outcome).toBe(
      'disturbed',
    );
    expect(judgeExchange(seen({ unreadable: 'riddles' }), list).outcome).toBe('wrong');
  });

  it('requires the requested failure, with an error event', () => {
    const order = { kind: 'broken answer', answer: { ...answer, content: half } } as const;
    const told = { ...broken, errorCode: null };
    expect(judgeExchange(seen({ ending: 'cut', answer: told }), order).outcome).toBe(
      'broken off as requested',
    );
    expect(judgeExchange(seen({}), order).outcome).toBe('wrong');
    const ended = { ...told, finishReason: 'stop' };
    expect(judgeExchange(seen({ ending: 'cut', answer: ended }), order).outcome).toBe('wrong');
    const early = { ...told, content: half.slice(0, -1) };
    expect(judgeExchange(seen({ ending: 'cut', answer: early }), order).outcome).toBe('disturbed');
  });

  it('never excuses a request without an end', () => {
    expect(judgeExchange(seen({ ending: 'hung' }), expected).outcome).toBe('wrong');
  });
});

describe('collecting an answer', () => {
  it('joins pieces that were cut anywhere, even inside characters', () => {
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason: finish }], usage: null })}\n\n`;
    const stream = Buffer.from(
      `: keepalive\n\n${chunk({ role: 'assistant' })}${chunk({ reasoning_content: 'νερό ' })}${chunk({ content: '水' })}${chunk({}, 'stop')}data: [DONE]\n\n`,
    );
    const collector = new AnswerCollector();
    for (const byte of stream) collector.read(Buffer.from([byte]));
    expect(collector.answer()).toMatchObject({
      reasoning: 'νερό ',
      content: '水',
      finishReason: 'stop',
      done: true,
      events: 5,
    });
  });

  it('does not accept anything after the end', () => {
    const collector = new AnswerCollector();
    collector.read(Buffer.from('data: [DONE]\n\n'));
    expect(() => collector.read(Buffer.from('data: {}\n\n'))).toThrow('an event after the last');
  });
});
