import { describe, expect, it } from 'vitest';
import { chunk, run, text } from './generation-fixture.ts';

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
      const { deltas } = run(
        text(
          chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: none } }] }),
          chunk({}, 'tool_calls'),
        ),
      );
      expect(deltas.at(-1)).toEqual({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] });
    },
  );

  it('keep their arguments where the runtime sends an object instead of its text', () => {
    const { deltas } = run(
      text(
        chunk({
          tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: { a: 'é' } } }],
        }),
        chunk({}, 'tool_calls'),
      ),
    );
    expect(deltas.at(-1)).toEqual({
      tool_calls: [{ index: 0, function: { arguments: '{"a":"é"}' } }],
    });
  });

  it('are none without a name', () => {
    const nameless = chunk({ tool_calls: [{ index: 0, id: 'x', function: { arguments: '{}' } }] });
    const { deltas, finishReason } = run(text(nameless, chunk({ content: 'Hi' }, 'stop')));
    expect(deltas).toEqual([{ content: 'Hi' }]);
    expect(finishReason).toBe('stop');
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

  it('that a runtime numbers all alike are told apart by their ids', () => {
    const call = (id: string, name: string) =>
      chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: '{}' } }] });
    const { deltas } = run(text(call('a', 'f'), call('b', 'g'), chunk({}, 'tool_calls')), {
      stream: false,
    });
    expect(deltas[0]).toMatchObject({
      tool_calls: [
        { function: { name: 'f', arguments: '{}' } },
        { function: { name: 'g', arguments: '{}' } },
      ],
    });
  });

  it('announce themselves once, however often the runtime repeats the name', () => {
    const part = (text: string) =>
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: text } }] });
    const { deltas } = run(text(part('{"a"'), part(':1}'), chunk({}, 'tool_calls')));
    expect(deltas).toHaveLength(3);
    expect(deltas[2]).toEqual({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] });
  });
});
