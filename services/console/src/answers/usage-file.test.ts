import { expect, it } from 'vitest';
import { usageFile } from './usage-file.ts';

it('quotes what needs it, and no cell of the file is a formula', () => {
  const named = {
    names: ['key-1'],
    labels: ['=HYPERLINK("http://evil","x")'],
    sums: {
      requests: 7,
      completed: 7,
      cancelled: 0,
      failed: 0,
      refused: 0,
      input_tokens: 0,
      cached_tokens: 0,
      output_tokens: 0,
      reasoning_tokens: 0,
      delivered_tokens: 0,
      spend: null,
      unpriced: 0,
    },
  };
  const [head, row] = usageFile(['key'], [named]).split('\r\n');
  expect(head).toMatch(/^key,key_name,requests,/);
  expect(row).toMatch(/^key-1,"'=HYPERLINK\(""http:\/\/evil"",""x""\)",7,/);
});
