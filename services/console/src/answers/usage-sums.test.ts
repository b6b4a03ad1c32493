import { describe, expect, it } from 'vitest';
import { groupByMonth, usageFile } from './usage-sums.ts';

const NONE = {
  requests: 0,
  completed: 0,
  cancelled: 0,
  failed: 0,
  refused: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  delivered_tokens: 0,
  spend: null,
};

function group(names: readonly string[], sums: Partial<Record<keyof typeof NONE, unknown>>) {
  return { names: [...names], labels: [...names], sums: { ...NONE, ...sums } as typeof NONE };
}

describe('sums of months', () => {
  it('add up the days of each month, and amounts exactly', () => {
    const days = [
      group(['2027-01-30T00:00:00Z', 'm'], { requests: 1, spend: '0.1' }),
      group(['2027-01-31T00:00:00Z', 'm'], { requests: 2, spend: '0.200000000001' }),
      group(['2027-02-01T00:00:00Z', 'm'], { requests: 4, spend: '12' }),
    ];
    expect(groupByMonth(days, ['month', 'model'])).toEqual([
      group(['2027-01-01T00:00:00Z', 'm'], { requests: 3, spend: '0.300000000001' }),
      group(['2027-02-01T00:00:00Z', 'm'], { requests: 4, spend: '12' }),
    ]);
  });
});

describe('the CSV file', () => {
  it('quotes what needs it, and no cell is a formula', () => {
    const named = {
      ...group(['key-1'], { requests: 7 }),
      labels: ['=HYPERLINK("http://evil","x")'],
    };
    const [head, row] = usageFile(['key'], [named]).split('\r\n');
    expect(head).toMatch(/^key,key_name,requests,/);
    expect(row).toMatch(/^key-1,"'=HYPERLINK\(""http:\/\/evil"",""x""\)",7,/);
  });
});
