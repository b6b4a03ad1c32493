import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { FlushBatcher } from './flush-batcher.ts';

const turn = promisify(setImmediate);

test('an item whose flush throws is notified, and the other items of the turn are flushed', async () => {
  const batcher = new FlushBatcher();
  const log: string[] = [];
  const item = (name: string, fault?: Error) => ({
    flush: () => {
      if (fault !== undefined) throw fault;
      log.push(name);
    },
    flushFailed: (error: unknown) => log.push(`${name}: ${String(error)}`),
  });
  batcher.schedule(item('a'));
  batcher.schedule(item('b', new Error('broken')));
  batcher.schedule(item('c'));
  await turn();
  expect(log).toEqual(['a', 'b: Error: broken', 'c']);
});
