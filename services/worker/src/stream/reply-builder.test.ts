import { readFileSync } from 'node:fs';
import type { Frame } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { chunk, run, text, type Reply } from './reply-builder-fixture.ts';
import { MalformedStreamError } from './sse-events.ts';

const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } };

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/${name}.sse`, import.meta.url));

/** Expects the same reply for every split of the bytes. Compares text, because there are thousands of splits. */
function expectSameForEveryCut(bytes: Buffer): Reply {
  const whole = run([bytes]);
  const expected = JSON.stringify(whole);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    if (JSON.stringify(run([bytes.subarray(0, cut), bytes.subarray(cut)])) !== expected) {
      expect.unreachable(`cut at byte ${cut}, the reply is another`);
    }
  }
  return whole;
}

describe('a vLLM stream with reasoning and tools', () => {
  const bytes = fixture('vllm-reasoning-and-tool');
  const usage = {
    prompt_tokens: 120,
    completion_tokens: 30,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 96 },
    // 20 of 38 characters.
    completion_tokens_details: { reasoning_tokens: 16 },
  };
  const expected = {
    deltas: [
      { reasoning_content: 'Größe prüfen' },
      { reasoning_content: ' 🧵 now.' },
      {
        tool_calls: [
          {
            index: 0,
            id: 'call_rchatcmpl-tool-6f',
            type: 'function',
            function: { name: 'get_weather', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"city": ' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Köln"}' } }] },
      {
        tool_calls: [
          {
            index: 1,
            id: 'call_rchatcmpl-tool-70',
            type: 'function',
            function: { name: 'get_time', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    ],
    usage,
    finishReason: 'tool_calls',
    content: '',
  };

  it('becomes the deltas of the API, wherever its bytes are cut', () => {
    expect(expectSameForEveryCut(bytes)).toEqual(expected);
  });

  it('becomes one message, with its members in the order of the API, if it is not streamed', () => {
    const { deltas } = run([bytes], { stream: false });
    expect(deltas).toEqual([
      {
        role: 'assistant',
        content: null,
        refusal: null,
        reasoning_content: 'Größe prüfen 🧵 now.',
        tool_calls: [
          {
            id: 'call_rchatcmpl-tool-6f',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city": "Köln"}' },
          },
          {
            id: 'call_rchatcmpl-tool-70',
            type: 'function',
            function: { name: 'get_time', arguments: '{}' },
          },
        ],
      },
    ]);
    expect(Object.keys(deltas[0] as object)).toEqual([
      'role',
      'content',
      'refusal',
      'reasoning_content',
      'tool_calls',
    ]);
  });
});

it.each([
  { reasoning_content: 'Hm', reasoning: 'Hm' },
  { reasoning_content: '', reasoning: 'Hm' },
  { reasoning_content: 'Hm', reasoning: '' },
])('takes reasoning by either name, or by both: %j', (delta) => {
  const { deltas } = run(text(chunk(delta), chunk({ content: 'Hi' }, 'stop')));
  expect(deltas).toEqual([{ reasoning_content: 'Hm' }, { content: 'Hi' }]);
});

describe('a llama.cpp stream', () => {
  const bytes = fixture('llama-cpp-content');

  it('becomes the deltas of the API, wherever its bytes are cut', () => {
    expect(expectSameForEveryCut(bytes)).toMatchObject({
      deltas: [{ reasoning_content: 'Hm' }, { content: 'Hello' }, { content: ' wörld' }],
      finishReason: 'length',
      usage: {
        prompt_tokens: 14,
        completion_tokens: 6,
        prompt_tokens_details: { cached_tokens: 9 },
      },
    });
  });

  it('that was recorded from a server is decoded across the bytes of a character', () => {
    expect(expectSameForEveryCut(fixture('llama-cpp-recorded'))).toMatchObject({
      deltas: [{ content: '"' }, { content: 'ü' }, { content: '"' }],
      finishReason: 'stop',
      usage: { prompt_tokens_details: { cached_tokens: 0 } },
    });
  });

  it('reports no cached tokens if organizations share the cache', () => {
    expect(run([bytes], { reportCached: false }).usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 0 },
    });
  });
});

describe('a plain stream without usage and without end marker', () => {
  it('is complete once it has a finish reason, and gets an estimated usage', () => {
    const bytes = fixture('plain-without-usage-or-end');
    expect(expectSameForEveryCut(bytes)).toEqual({
      deltas: [{ content: 'One' }, { content: ' two' }],
      finishReason: 'stop',
      usage: {
        prompt_tokens: 40,
        completion_tokens: 2,
        total_tokens: 42,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
      content: '',
    });
  });
});

it('keeps a usage that comes before the last chunk', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 5 };
  const counted = `data: ${JSON.stringify({ choices: [{ delta: { content: 'Hi' } }], usage })}\n\n`;
  expect(run(text(counted, chunk({}, 'stop'))).usage).toMatchObject(usage);
});

it('uses the last usage if a runtime sends one in every chunk', () => {
  const counted = (delta: object, completion: number, finishReason: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: finishReason }];
    const usage = { prompt_tokens: 7, completion_tokens: completion };
    return `data: ${JSON.stringify({ choices, usage })}\n\n`;
  };
  const answer = text(counted({ content: 'Hel' }, 1), counted({ content: 'lo' }, 2, 'stop'));
  expect(run(answer).usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 2 });
});

describe('a reply that is not streamed', () => {
  it('without content is an empty text, and null only beside a call', () => {
    const contentOf = (delta: object) =>
      run(text(chunk(delta, 'stop')), { stream: false }).deltas[0];
    expect(contentOf({})).toMatchObject({ content: '' });
    expect(contentOf({ tool_calls: [call] })).toMatchObject({ content: null });
  });

  it('has reasoning only if the runtime sent some', () => {
    const answer = text(chunk({ content: 'Hi' }, 'stop'));
    expect(run(answer, { stream: false }).deltas).toEqual([
      { role: 'assistant', content: 'Hi', refusal: null },
    ]);
  });

  it('of a model that requires its reasoning back always has the field', () => {
    const answer = text(chunk({ content: 'Hi' }, 'stop'));
    expect(run(answer, { stream: false, reasoningAlways: true }).deltas).toEqual([
      { role: 'assistant', content: 'Hi', refusal: null, reasoning_content: '' },
    ]);
  });

  it('that exceeds a bus message fails while it grows', () => {
    const answer = text(
      chunk({ content: 'x'.repeat(600) }),
      chunk({ content: 'x'.repeat(600) }, 'stop'),
    );
    const bounds = { stream: false, maxReplyBytes: 1_000 };
    expect(() => run(answer, bounds)).toThrow(
      expect.objectContaining({ reason: 'invalid_output' }),
    );
    // Fails before the end of the stream, so that memory is bounded.
    expect(() => run(text(chunk({ content: 'x'.repeat(1_001) })), bounds)).toThrow(
      expect.objectContaining({ reason: 'invalid_output' }),
    );
    expect(run(answer, { ...bounds, stream: true }).deltas).toHaveLength(2);
  });

  it.each([['水'], ['\n'], ['\u0001']])('is limited in bytes of JSON: %j', (character) => {
    const answer = text(chunk({ content: character.repeat(600) }, 'stop'));
    expect(() => run(answer, { stream: false, maxReplyBytes: 1_000 })).toThrow(
      expect.objectContaining({ reason: 'invalid_output' }),
    );
  });
});

it.each([
  ['words', { content: 'x'.repeat(1_000) }],
  ['thoughts', { reasoning_content: 'x'.repeat(1_000) }],
  ['arguments', { tool_calls: [{ function: { name: 'f', arguments: 'x'.repeat(1_000) } }] }],
])('a stream with a piece that is larger than a bus message fails: %s', (_, delta) => {
  expect(() => run(text(chunk(delta, 'stop')), { maxReplyBytes: 1_000 })).toThrow(
    expect.objectContaining({ reason: 'invalid_output' }),
  );
});

it('keeps the content of a stream only if it is to be checked', () => {
  const answer = text(chunk({ content: 'Hel' }), chunk({ content: 'lo' }, 'stop'));
  expect(run(answer).content).toBe('');
  expect(run(answer, { keepContent: true }).content).toBe('Hello');
});

describe('finish reasons', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'stop'],
    ['eos', 'stop'],
  ])('%s is %s without a tool call', (runtime, ours) => {
    expect(run(text(chunk({ content: 'x' }, runtime))).finishReason).toBe(ours);
  });

  it.each(['abort', 'error', 'cancelled', 'timeout', 'insufficient_system_resource'])(
    '%s is a failure, because the reply was broken off',
    (runtime) => {
      expect(() => run(text(chunk({ content: 'x' }, runtime)))).toThrow(
        expect.objectContaining({ reason: 'upstream_unavailable', retryable: true }),
      );
    },
  );
});

describe('a stream that fails', () => {
  const begun = chunk({ content: 'Half an ans' });

  it('without a finish reason never becomes a shorter reply', () => {
    expect(() => run(text(begun))).toThrow(AttemptFailure);
    expect(() => run(text(begun, 'data: [DONE]\n\n'))).toThrow(AttemptFailure);
  });

  it('with empty finish reasons is not complete before one that is not empty', () => {
    const pieces = [chunk({ content: 'Half' }, ''), chunk({ content: ' an ans' }, '')];
    expect(() => run(text(...pieces, 'data: [DONE]\n\n'))).toThrow(AttemptFailure);
    const end = chunk({ content: 'wer' }, 'length');
    expect(run(text(...pieces, end, chunk({}, ''))).finishReason).toBe('length');
  });

  it('with malformed JSON is an error that quotes nothing', () => {
    expect(() => run(text(begun, 'data: {"choices": [{"delta"\n\n'))).toThrow(
      new MalformedStreamError('a chunk is not JSON'),
    );
    expect(() => run(text(begun, 'data: 7\n\n'))).toThrow(MalformedStreamError);
  });

  it.each([
    [
      'an error event',
      'event: error\ndata: {"message":"boom","code":500}\n\n',
      'upstream_unavailable',
    ],
    [
      'an error event in plain text',
      'event: error\ndata: out of memory\n\n',
      'upstream_unavailable',
    ],
    [
      'an error object',
      'data: {"error":{"message":"boom","type":"InternalServerError","code":500}}\n\n',
      'upstream_unavailable',
    ],
    [
      'the error object of older versions',
      'data: {"object":"error","message":"no","code":503}\n\n',
      'upstream_busy',
    ],
    [
      'a request that it cannot take',
      'data: {"error":{"message":"no","code":400}}\n\n',
      'invalid_request',
    ],
    [
      'a status beside its code',
      'data: {"error":{"message":"no","code":null,"status_code":429}}\n\n',
      'upstream_busy',
    ],
    [
      'a context that filled up',
      'data: {"error":{"message":"exceeds the available context size","code":400}}\n\n',
      'context_length_exceeded',
    ],
  ])('by %s has the right reason', (_, event, reason) => {
    expect(() => run(text(begun, event, 'data: [DONE]\n\n'))).toThrow(
      expect.objectContaining({ reason }),
    );
  });

  it('after the end marker is complete', () => {
    expect(
      run(text(chunk({ content: 'x' }, 'stop'), 'data: [DONE]\n\n', 'event: error\ndata: late\n\n'))
        .deltas,
    ).toEqual([{ content: 'x' }]);
  });
});

describe('text', () => {
  it('passes unchanged: escapes, separators, lone surrogates', () => {
    const pieces = ['"\\\n\u2028\u0000', '\uD83E', '\uDDF5'];
    const { deltas } = run(text(...pieces.map((content) => chunk({ content })), chunk({}, 'stop')));
    expect(deltas).toEqual(pieces.map((content) => ({ content })));
  });

  it('of a stream is one line, even for clients that split at the line ends of Unicode', () => {
    const separators = '\v\f\u001C\u001D\u001E\u0085\u2028\u2029';
    const calls = [{ function: { name: 'f', arguments: `"${separators}"` } }];
    const pieces = [
      chunk({ content: separators, reasoning_content: separators }),
      chunk({ tool_calls: calls }, 'tool_calls'),
    ];
    const lines: string[] = [];
    run(text(...pieces), { emit: ({ body }) => lines.push(Buffer.from(body).toString()) });
    const escapes = String.raw`\u000b\f\u001c\u001d\u001e\u0085\u2028\u2029`;
    expect(lines).toEqual([
      `{"reasoning_content":"${escapes}"}`,
      `{"content":"${escapes}"}`,
      expect.stringContaining('"name":"f"'),
      String.raw`{"tool_calls":[{"index":0,"function":{"arguments":"\"${escapes}\""}}]}`,
    ]);
  });
});

describe('reasoning that comes after content', () => {
  const late = text(chunk({ content: 'Hi' }), chunk({ reasoning_content: 'Hm.' }, 'stop'));

  it('fails a stream, which promises reasoning before content', () => {
    const frames: Frame[] = [];
    const reading = () => run(late, { emit: (frame) => frames.push(frame) });
    expect(reading).toThrow(AttemptFailure.brokenPromise('reasoning_late'));
    expect(frames).toHaveLength(1);
  });

  it('is allowed in a reply that does not stream', () => {
    expect(run(late, { stream: false }).deltas).toMatchObject([
      { content: 'Hi', reasoning_content: 'Hm.' },
    ]);
  });
});

describe('content of a stream that must call a function', () => {
  const callingStream = (options: object, ...chunks: string[]) =>
    run(text(...chunks), { callFirst: true, ...options }).deltas;
  const words = [chunk({ content: 'Let me ' }), chunk({ content: 'see.' })];

  it('is held back until the call begins, and comes after all reasoning', () => {
    const deltas = callingStream(
      { reasoningAlways: true },
      ...words,
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ tool_calls: [call] }),
      chunk({ content: 'Done.' }, 'tool_calls'),
    );
    expect(deltas).toMatchObject([
      { reasoning_content: 'Hm.' },
      { content: 'Let me see.' },
      { tool_calls: [{ function: { name: 'f' } }] },
      { tool_calls: [{ function: { arguments: '{}' } }] },
      { content: 'Done.' },
    ]);
    expect(callingStream({ reasoningAlways: true }, ...words, chunk({}, 'length'))).toEqual([
      { reasoning_content: '' },
      { content: 'Let me see.' },
    ]);
  });

  it('is not sent before a call that breaks a promise', () => {
    const frames: Frame[] = [];
    const onCall = () => {
      throw AttemptFailure.brokenPromise('tool_choice_differs');
    };
    const emit = (frame: Frame) => frames.push(frame);
    const calling = () =>
      callingStream({ onCall, emit }, ...words, chunk({ tool_calls: [call] }, 'tool_calls'));
    expect(calling).toThrow(AttemptFailure.brokenPromise('tool_choice_differs'));
    expect(frames).toEqual([]);
  });

  it('is limited to the length of a reply', () => {
    expect(() => callingStream({ maxReplyBytes: 9 }, ...words)).toThrow(
      AttemptFailure.invalidOutput(),
    );
  });
});

describe('a stream of a model that requires its reasoning back', () => {
  const deltasOf = (...chunks: string[]) =>
    run(text(...chunks), { stream: true, reasoningAlways: true }).deltas;

  it('sends empty reasoning before content without reasoning', () => {
    expect(deltasOf(chunk({ content: 'H' }), chunk({ content: 'i' }, 'stop'))).toEqual([
      { reasoning_content: '' },
      { content: 'H' },
      { content: 'i' },
    ]);
  });

  it('sends empty reasoning even without content', () => {
    expect(deltasOf(chunk({}, 'stop'))).toEqual([{ reasoning_content: '' }]);
  });

  it('sends no empty reasoning before reasoning, or before a call, because its id shows that there was none', () => {
    expect(deltasOf(chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Hi' }, 'stop'))).toEqual(
      [{ reasoning_content: 'Hm.' }, { content: 'Hi' }],
    );
    const [first] = deltasOf(chunk({ tool_calls: [call] }, 'tool_calls'));
    expect(JSON.stringify(first)).toContain('"id":"call_n');
  });
});
