import { describe, expect, it } from 'vitest';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import { chunk, run, text } from './runtime-reply-fixture.ts';
import type { RuntimeReplyOptions } from './runtime-reply.ts';

const callWithoutReasoning: unknown = expect.stringMatching(/^call_n[0-9A-Za-z]{24}$/);

describe('tool calls', () => {
  it('carry ids that tell of a step without reasoning', () => {
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
    ['a step without reasoning where that is blank', ['\n', '\n'], /^call_n/],
    ['reasoning that is more than blank', ['\n', 'Hm.', '\n'], /^call_r/],
  ])('carry ids that tell of %s', (_, reasoning, id) => {
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

  describe('end their ids', () => {
    const part = (index: number, id: string | undefined, called: object) =>
      chunk({ tool_calls: [{ index, id, function: called }] });
    const whole = { name: 'f', arguments: '{}' };
    const idsOf = (
      pieces: readonly string[],
      options: Partial<Pick<RuntimeReplyOptions, 'demandedFunction' | 'isTakenId'>> = {},
    ) => {
      const answer = text(...pieces, chunk({}, 'tool_calls'));
      const { deltas } = run(answer, { stream: false, ...options });
      const [{ tool_calls: calls }] = deltas as [{ tool_calls: { id: string }[] }];
      return calls.map(({ id }) => id);
    };

    it('with those of the runtime, so that it gets them back', () => {
      const ids = ['functions.f:0', 'functions.f:1'];
      expect(idsOf(ids.map((id, index) => part(index, id, whole)))).toEqual([
        'call_nfunctions.f:0',
        'call_nfunctions.f:1',
      ]);
    });

    it('with none that the conversation has already', () => {
      const isTakenId = (id: string) => id === 'functions.f:0';
      const ids = ['functions.f:0', 'functions.f:1'];
      expect(
        idsOf(
          ids.map((id, index) => part(index, id, whole)),
          { isTakenId },
        ),
      ).toEqual([callWithoutReasoning, 'call_nfunctions.f:1']);
    });

    it('with one that came before the name', () => {
      const pieces = [part(0, 'functions.f:0', { arguments: '{' }), part(0, undefined, whole)];
      expect(idsOf(pieces)).toEqual(['call_nfunctions.f:0']);
    });

    it('with none that came after the name', () => {
      const begun = part(0, undefined, { name: 'f', arguments: '{' });
      const pieces = [begun, part(0, 'functions.f:0', { arguments: '}' })];
      expect(idsOf(pieces)).toEqual([callWithoutReasoning]);
    });

    it('with the first of a call that has another in every fragment', () => {
      const pieces = ['{"a":', '1}'].map((more, at) =>
        part(0, `chatcmpl-tool-${at}`, { name: 'f', arguments: more }),
      );
      expect(idsOf(pieces, { demandedFunction: 'f' })).toEqual(['call_nchatcmpl-tool-0']);
    });

    it('with no id twice', () => {
      const pieces = [0, 1].map((index) => part(index, 'functions.f:0', whole));
      expect(idsOf(pieces)).toEqual(['call_nfunctions.f:0', callWithoutReasoning]);
    });
  });

  it('end as tool_calls even where the runtime says stop', () => {
    const calls = chunk({
      tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '{}' } }],
    });
    expect(run(text(calls, chunk({}, 'stop'))).finishReason).toBe('tool_calls');
    expect(run(text(calls, chunk({}, 'length'))).finishReason).toBe('length');
  });

  it.each([undefined, '', ' '])(
    'without any arguments (%j) get an empty object, so that clients can parse them',
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
  ])('keep their arguments where the runtime sends %s instead of its text', (_, value, sent) => {
    const { deltas } = run(
      text(
        chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: value } }] }),
        chunk({}, 'tool_calls'),
      ),
    );
    expect(deltas.at(-1)).toEqual({ tool_calls: [{ index: 0, function: { arguments: sent } }] });
  });

  it('are none without a name and arguments', () => {
    const nameless = chunk({ tool_calls: [{ index: 0, id: 'x', function: { arguments: '' } }] });
    const { deltas, finishReason } = run(text(nameless, chunk({ content: 'Hi' }, 'stop')));
    expect(deltas).toEqual([{ content: 'Hi' }]);
    expect(finishReason).toBe('stop');
  });

  it('that never get a name do not vanish with their arguments', () => {
    const nameless = chunk({ tool_calls: [{ index: 0, id: 'x', function: { arguments: '{}' } }] });
    expect(() => run(text(nameless, chunk({ content: 'Hi' }, 'stop')))).toThrow(
      AttemptFailure.invalidOutput(),
    );
    expect(run(text(nameless, chunk({ content: 'Hi' }, 'length'))).finishReason).toBe('length');
  });

  it('that never get a name do not vanish beside others that have one', () => {
    const calls = [
      { index: 0, id: 'x', function: { name: 'f', arguments: '{}' } },
      { index: 1, id: 'y', function: { arguments: '{}' } },
    ];
    expect(() => run(text(chunk({ tool_calls: calls }, 'tool_calls')))).toThrow(
      AttemptFailure.invalidOutput(),
    );
  });

  it('do not get the arguments of another that has no name yet', () => {
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

  it('that were cut short by the length are left as they are', () => {
    const begun = text(
      chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f' } }] }),
      chunk({}, 'length'),
    );
    expect(run(begun).deltas).toHaveLength(1);
    expect(run(begun, { stream: false }).deltas[0]).toMatchObject({
      tool_calls: [{ function: { name: 'f', arguments: '' } }],
    });
  });

  describe('that a runtime calls complete', () => {
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
      ['as many tokens came as were asked for', { outputBound: 50 }],
      ['the context is full', { contextLength: 80 }],
    ])('are cut short where the last has no end and %s', (_, bounds) => {
      for (const stream of [true, false]) {
        for (const more of ['', '{"a": "cut o']) {
          const reply = run(ended('tool_calls', begun(more)), { ...bounds, stream });
          expect(reply.finishReason).toBe('length');
          expect(JSON.stringify(reply.deltas)).not.toContain('{}');
        }
      }
    });

    it.each([
      ['every call has its end', { outputBound: 50 }, ended('tool_calls', begun('{"a":1}'))],
      ['only the last could be cut', { outputBound: 50 }, ended('tool_calls', begun('{'), whole)],
      [
        'there was room for more',
        { outputBound: 51, contextLength: 81 },
        ended('tool_calls', begun('{')),
      ],
      ['no bound is known', {}, ended('tool_calls', begun('{'))],
      ['nothing was counted', { outputBound: 1 }, text(begun('{'), chunk({}, 'tool_calls'))],
      ['another word was said', { outputBound: 50 }, ended('stop', begun('{'))],
    ])('are taken for it where %s', (_, bounds, pieces) => {
      expect(run(pieces, bounds).finishReason).toBe('tool_calls');
    });
  });

  it.each([
    ['their ids', ['a', 'f'], ['b', 'f']],
    ['their names where they have no ids', ['', 'f'], ['', 'g']],
  ])('that a runtime numbers all alike are told apart by %s', (_, ...calls) => {
    const chunks = calls.map(([id, name]) =>
      chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: '{}' } }] }),
    );
    const { deltas } = run(text(...chunks, chunk({}, 'tool_calls')), { stream: false });
    expect(deltas[0]).toMatchObject({
      tool_calls: calls.map(([, name]) => ({ function: { name, arguments: '{}' } })),
    });
  });

  it('of one function, numbered alike, do not run into each other where they come in parts', () => {
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
    ['in the newer way', (called: object) => ({ tool_calls: [{ function: called }] })],
    ['in the older way', (called: object) => ({ function_call: called })],
  ])('without a number, %s, are one in all their parts', (_, delta) => {
    const parts = [{ name: 'f', arguments: '{"a"' }, { arguments: ':1' }, { arguments: '}' }];
    const pieces = parts.map((part) => chunk(delta(part)));
    const { deltas } = run(text(...pieces, chunk({}, 'stop')), { stream: false });
    expect(deltas[0]).toMatchObject({
      tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }],
    });
  });

  it('announce themselves once, however often the runtime repeats the name', () => {
    const part = (text: string) =>
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: text } }] });
    const { deltas } = run(text(part('{"a"'), part(':1}'), chunk({}, 'tool_calls')));
    expect(deltas).toHaveLength(3);
    expect(deltas[2]).toEqual({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] });
  });

  it.each([
    [
      'one, though each fragment has the name and an id of its own',
      ['', '{"a":', '1', '}', ''],
      ['{"a":1}'],
    ],
    ['as many as came whole', ['{"a":1}', '{"a":2}'], ['{"a":1}', '{"a":2}']],
  ])('of a function that was demanded are %s', (_, parts, sent) => {
    const fragments = parts.map((part, at) =>
      chunk({ tool_calls: [{ index: 0, id: `x${at}`, function: { name: 'f', arguments: part } }] }),
    );
    const options = { stream: false, demandedFunction: 'f' };
    const { deltas } = run(text(...fragments, chunk({}, 'stop')), options);
    expect(deltas[0]).toMatchObject({
      tool_calls: sent.map((whole) => ({ function: { name: 'f', arguments: whole } })),
    });
  });
});
