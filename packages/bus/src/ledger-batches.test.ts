import { describe, expect, it } from 'vitest';
import { gatherBatches, linesOf } from './ledger-batches.ts';

function waiting(id: string, subject = 'acme', line = `{"id":"${id}"}`) {
  return { id, subject, line, appendedAt: 0 };
}

describe('batches of records', () => {
  it('hold the records of one subject, in order, under the id of the first', () => {
    const records = [waiting('1'), waiting('2', 'zeta'), waiting('3')];
    const batches = gatherBatches(records, 1_000).map(({ payload, ...batch }) => ({
      ...batch,
      lines: linesOf(payload),
    }));
    expect(batches).toEqual([
      {
        id: '1',
        subject: 'acme',
        recordCount: 2,
        appendedAt: 0,
        lines: ['{"id":"1"}', '{"id":"3"}'],
      },
      { id: '2', subject: 'zeta', recordCount: 1, appendedAt: 0, lines: ['{"id":"2"}'] },
    ]);
  });

  it('end before they are too long, except for a single record that is too long', () => {
    const long = 'x'.repeat(50);
    const lines = ['aaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc', 'dddddddddd', long];
    const records = lines.map((line) => waiting(line.slice(0, 1), 'acme', line));
    const batches = gatherBatches([...records, waiting('e')], 20);
    expect(batches.map(({ payload }) => linesOf(payload))).toEqual([
      ['aaaaaaaaa', 'bbbbbbbbbb'],
      ['cccccccccc'],
      ['dddddddddd'],
      [long],
      ['{"id":"e"}'],
    ]);
    expect(batches.every(({ payload }) => payload.length <= 20 || payload.length === 50)).toBe(
      true,
    );
  });

  it('keep the order of a subject, even if a later record would fit into an earlier batch', () => {
    const records = ['a'.repeat(10), 'b'.repeat(12), 'c'].map((line) =>
      waiting(line.slice(0, 1), 'acme', line),
    );
    const batches = gatherBatches(records, 20);
    expect(batches.map(({ id, recordCount }) => [id, recordCount])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('are as old as their newest record', () => {
    const records = [
      { ...waiting('1'), appendedAt: 5 },
      { ...waiting('2'), appendedAt: 7 },
    ];
    expect(gatherBatches(records, 1_000)).toMatchObject([{ appendedAt: 7, recordCount: 2 }]);
  });

  it('keep text that is not ASCII', () => {
    const [batch] = gatherBatches([waiting('1', 'acme', '{"name":"Åke 日本 🎈"}')], 1_000);
    expect(linesOf(batch?.payload ?? Buffer.alloc(0))).toEqual(['{"name":"Åke 日本 🎈"}']);
  });
});
