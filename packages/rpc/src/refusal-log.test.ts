import { createLogger } from '@sluice/telemetry';
import { expect, it } from 'vitest';
import { RefusalLog } from './refusal-log.ts';

it('writes a line at most every ten seconds, with how many were refused since the last', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  let nowMs = 0;
  const refusals = new RefusalLog({
    logger: createLogger({ service: 'test', level: 'warn', destination }),
    now: () => nowMs,
  });
  for (const atMs of [5, 6, 10_004, 10_005, 20_004, 50_000]) {
    nowMs = atMs;
    refusals.add('catalog.ListAudit');
  }
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { level: 'warn', call: 'catalog.ListAudit', refused: 1 },
    { refused: 3 },
    { refused: 2 },
  ]);
});
