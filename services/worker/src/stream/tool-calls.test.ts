import { describe, expect, it } from 'vitest';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { chunk, run, text } from './reply-builder-fixture.ts';
import type { ReplyBuilderOptions } from './reply-builder.ts';

const callWithoutReasoning: unknown = expect.stringMatching(/^call_n[0-9A-Za-z]{24}$/);

describe('tool calls', () => {
  it('have ids that show a step without reasoning', () => {
    const { deltas } = run(
      text(
        chunk({
          tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '{"a":1}' } }],
        }),
        chunk({}, 'stop'),
      ),
    );
    expect(deltas[0]).toEqual({
      tool_calls: [
        {
          index: 0,
          id: callWithoutReasoning,
          type: 'function',
          function: { name: 'f', arguments: '' },
        },
      ],
    });
  });

  it.each([
    ['a step without reasoning if it is blank', ['\n', '\n'], /^call_n/],
    ['reasoning if it is not blank', ['\n', 'Hm.', '\n'], /^call_r/],
  ])('have ids that show %s', (_, reasoning, id) => {
    const { deltas } = run(
      text(
        ...reasoning.map((part) => chunk({ reasoning_content: part })),
        chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] }),
        chunk({}, 'tool_calls'),
      ),
      { stream: false },
    );
    expect(deltas).toMatchObject([
      {
        reasoning_content: reasoning.join(''),
        tool_calls: [{ id: expect.stringMatching(id) as unknown }],
      },
    ]);
  });

  describe('have ids that end', () => {
    const part = (index: number, id: string | undefined, called: object) =>
      chunk({ tool_calls: [{ index, id, function: called }] });
    const whole = { name: 'f', arguments: '{}' };
    const idsOf = (
      pieces: readonly string[],
      options: Partial<Pick<ReplyBuilderOptions, 'forcedFunction' | 'isUsedCallId'>> = {},
    ) => {
      const answer = text(...pieces, chunk({}, 'tool_calls'));
      const { deltas } = run(answer, { stream: false, ...options });
      const [{ tool_calls: calls }] = deltas as [{ tool_calls: { id: string }[] }];
      return calls.map(({ id }) => id);
    };

    it('with the ids of the runtime, so that it gets them back', () => {
      const ids = ['functions.f:0', 'functions.f:1'];
      expect(idsOf(ids.map((id, index) => part(index, id, whole)))).toEqual([
        'call_nfunctions.f:0',
        'call_nfunctions.f:1',
      ]);
    });

    it('with no id that the conversation already has', () => {
      const isUsedCallId = (id: string) => id === 'functions.f:0';
      const ids = ['functions.f:0', 'functions.f:1'];
      expect(
        idsOf(
          ids.map((id, index) => part(index, id, whole)),
          { isUsedCallId },
        ),
      ).toEqual([callWithoutReasoning, 'call_nfunctions.f:1']);
    });

    it('with an id that came before the name', () => {
      const pieces = [part(0, 'functions.f:0', { arguments: '{' }), part(0, undefined, whole)];
      expect(idsOf(pieces)).toEqual(['call_nfunctions.f:0']);
    });

    it('with no id that came after the name', () => {
      const begun = part(0, undefined, { name: 'f', arguments: '{' });
      const pieces = [begun, part(0, 'functions.f:0', { arguments: '}' })];
      expect(idsOf(pieces)).toEqual([callWithoutReasoning]);
    });

    it('with the first id of a call that has a new id in every fragment', () => {
      const pieces = ['{"a":', '1}'].map((more, at) =>
        part(0, `chatcmpl-tool-${at}`, { name: 'f', arguments: more }),
      );
      expect(idsOf(pieces, { forcedFunction: 'f' })).toEqual(['call_nchatcmpl-tool-0']);
    });

    it('with the same id only once', () => {
      const pieces = [0, 1].map((index) => part(index, 'functions.f:0', whole));
      expect(idsOf(pieces)).toEqual(['call_nfunctions.f:0', callWithoutReasoning]);
    });
  });

  it('finish with tool_calls even if the runtime sends stop', () => {
    const calls = chunk({
      tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '{}' } }],
    });
    expect(run(text(calls, chunk({}, 'stop'))).finishReason).toBe('tool_calls');
    expect(run(text(calls, chunk({}, 'length'))).finishReason).toBe('length');
  });

  it.each([undefined, '', ' '])(
    'without arguments (%j) get an empty object, so that clients can parse them',
    (none) => {
      const pieces = text(
        chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: none } }] }),
        chunk({}, 'tool_calls'),
      );
      expect(run(pieces).deltas.at(-1)).toEqual({
        tool_calls: [{ index: 0, function: { arguments: '{}' } }],
      });
      expect(run(pieces, { stream: false }).deltas).toMatchObject([
        { tool_calls: [{ function: { name: 'f', arguments: `${none ?? ''}{}` } }] },
      ]);
    },
  );

  it.each([
    ['an object', { a: 'é' }, '{"a":"é"}'],
    ['another value', [1], '[1]'],
  ])('keep their arguments if the runtime sends %s instead of a string', (_, value, sent) => {
    const { deltas } = run(
      text(
        chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: value } }] }),
        chunk({}, 'tool_calls'),
      ),
    );
    expect(deltas.at(-1)).toEqual({ tool_calls: [{ index: 0, function: { arguments: sent } }] });
  });

  it('are ignored without a name and arguments', () => {
    const nameless = chunk({ tool_calls: [{ index: 0, id: 'x', function: { arguments: '' } }] });
    const { deltas, finishReason } = run(text(nameless, chunk({ content: 'Hi' }, 'stop')));
    expect(deltas).toEqual([{ content: 'Hi' }]);
    expect(finishReason).toBe('stop');
  });

  it('with arguments that never get a name are an error', () => {
    const nameless = chunk({ tool_calls: [{ index: 0, id: 'x', function: { arguments: '{}' } }] });
    expect(() => run(text(nameless, chunk({ content: 'Hi' }, 'stop')))).toThrow(
      AttemptFailure.invalidOutput(),
    );
    expect(run(text(nameless, chunk({ content: 'Hi' }, 'length'))).finishReason).toBe('length');
  });

  it('with arguments that never get a name are an error beside calls with a name', () => {
    const calls = [
      { index: 0, id: 'x', function: { name: 'f', arguments: '{}' } },
      { index: 1, id: 'y', function: { arguments: '{}' } },
    ];
    expect(() => run(text(chunk({ tool_calls: calls }, 'tool_calls')))).toThrow(
      AttemptFailure.invalidOutput(),
    );
  });

  it('do not get the arguments of another call without a name', () => {
    const nameless = chunk({ tool_calls: [{ index: 0, id: 'x', function: { arguments: '{' } }] });
    const other = chunk({ tool_calls: [{ index: 0, id: 'y', function: { name: 'f' } }] });
    expect(() => run(text(nameless, other))).toThrow(AttemptFailure.invalidOutput());
  });

  it('keep the arguments that come before their name', () => {
    const part = (id: string | undefined, called: object) =>
      chunk({ tool_calls: [{ index: 1, id, function: called }] });
    const { deltas } = run(
      text(
        part('a', { arguments: '{"a"' }),
        part(undefined, { name: '', arguments: ':' }),
        part(undefined, { name: 'f', arguments: '1' }),
        part('a', { name: 'f', arguments: '}' }),
        chunk({}, 'tool_calls'),
      ),
    );
    expect(deltas).toEqual([
      {
        tool_calls: [
          {
            index: 0,
            id: callWithoutReasoning,
            type: 'function',
            function: { name: 'f', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":1' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '}' } }] },
    ]);
  });

  it('that were cut off by the length limit are not completed', () => {
    const begun = text(
      chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f' } }] }),
      chunk({}, 'length'),
    );
    expect(run(begun).deltas).toHaveLength(1);
    expect(run(begun, { stream: false }).deltas[0]).toMatchObject({
      tool_calls: [{ function: { name: 'f', arguments: '' } }],
    });
  });

  describe('of a reply that ends with tool_calls', () => {
    const begun = (more: string) =>
      chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: more } }] });
    const whole = chunk({
      tool_calls: [{ index: 1, id: 'y', function: { name: 'f', arguments: '{}' } }],
    });
    const usage = `data: ${JSON.stringify({
      choices: [],
      usage: { prompt_tokens: 30, completion_tokens: 50 },
    })}\n\n`;
    const ended = (reason: string, ...calls: string[]) => text(...calls, chunk({}, reason), usage);

    it.each([
      ['the output bound is reached', { outputBound: 50 }],
      ['the context is full', { contextLength: 80 }],
    ])('count as cut off if the last one is incomplete and %s', (_, bounds) => {
      for (const stream of [true, false]) {
        for (const more of ['', '{"a": "cut o']) {
          const reply = run(ended('tool_calls', begun(more)), { ...bounds, stream });
          expect(reply.finishReason).toBe('length');
          expect(JSON.stringify(reply.deltas)).not.toContain('{}');
        }
      }
    });

    it.each([
      ['every call is complete', { outputBound: 50 }, ended('tool_calls', begun('{"a":1}'))],
      ['the last call is complete', { outputBound: 50 }, ended('tool_calls', begun('{'), whole)],
      [
        'no bound is reached',
        { outputBound: 51, contextLength: 81 },
        ended('tool_calls', begun('{')),
      ],
      ['no bound is known', {}, ended('tool_calls', begun('{'))],
      [
        'the runtime reports no usage',
        { outputBound: 1 },
        text(begun('{'), chunk({}, 'tool_calls')),
      ],
      ['the finish reason is another', { outputBound: 50 }, ended('stop', begun('{'))],
    ])('count as complete if %s', (_, bounds, pieces) => {
      expect(run(pieces, bounds).finishReason).toBe('tool_calls');
    });
  });

  it.each([
    ['their ids', ['a', 'f'], ['b', 'f']],
    ['their names if they have no ids', ['', 'f'], ['', 'g']],
  ])('with the same number are distinguished by %s', (_, ...calls) => {
    const chunks = calls.map(([id, name]) =>
      chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: '{}' } }] }),
    );
    const { deltas } = run(text(...chunks, chunk({}, 'tool_calls')), { stream: false });
    expect(deltas[0]).toMatchObject({
      tool_calls: calls.map(([, name]) => ({ function: { name, arguments: '{}' } })),
    });
  });

  it('of one function with the same number are kept apart if they come in parts', () => {
    const part = (id: string | undefined, name: string | undefined, more: string) =>
      chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: more } }] });
    const { deltas } = run(
      text(
        part('a', 'f', '{"a"'),
        part(undefined, undefined, ':1}'),
        part('b', 'f', '{"a"'),
        part(undefined, undefined, ':2}'),
        chunk({}, 'tool_calls'),
      ),
      { stream: false },
    );
    expect(deltas[0]).toMatchObject({
      tool_calls: [{ function: { arguments: '{"a":1}' } }, { function: { arguments: '{"a":2}' } }],
    });
  });

  it.each([
    ['in the newer form', (called: object) => ({ tool_calls: [{ function: called }] })],
    ['in the older form', (called: object) => ({ function_call: called })],
  ])('without a number, %s, are one call in all their parts', (_, delta) => {
    const parts = [{ name: 'f', arguments: '{"a"' }, { arguments: ':1' }, { arguments: '}' }];
    const pieces = parts.map((part) => chunk(delta(part)));
    const { deltas } = run(text(...pieces, chunk({}, 'stop')), { stream: false });
    expect(deltas[0]).toMatchObject({
      tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }],
    });
  });

  it('are announced once, even if the runtime repeats the name', () => {
    const part = (text: string) =>
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: text } }] });
    const { deltas } = run(text(part('{"a"'), part(':1}'), chunk({}, 'tool_calls')));
    expect(deltas).toHaveLength(3);
    expect(deltas[2]).toEqual({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] });
  });

  it.each([
    [
      'one call, even if each fragment has the name and a new id',
      ['', '{"a":', '1', '}', ''],
      ['{"a":1}'],
    ],
    ['several calls if each is complete', ['{"a":1}', '{"a":2}'], ['{"a":1}', '{"a":2}']],
  ])('of a forced function are %s', (_, parts, sent) => {
    const fragments = parts.map((part, at) =>
      chunk({ tool_calls: [{ index: 0, id: `x${at}`, function: { name: 'f', arguments: part } }] }),
    );
    const options = { stream: false, forcedFunction: 'f' };
    const { deltas } = run(text(...fragments, chunk({}, 'stop')), options);
    expect(deltas[0]).toMatchObject({
      tool_calls: sent.map((whole) => ({ function: { name: 'f', arguments: whole } })),
    });
  });
});
