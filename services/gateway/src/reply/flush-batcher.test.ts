import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TurnFlusher } from './turn-flusher.ts';

const turn = promisify(setImmediate);

test('one that cannot be flushed is told so, and takes nothing from the others of its turn', async () => {
  const flusher = new TurnFlusher();
  const log: string[] = [];
  const item = (name: string, fault?: Error) => ({
    flush: () => {
      if (fault !== undefined) throw fault;
      log.push(name);
    },
    flushFailed: (error: unknown) => log.push(`${name}: ${String(error)}`),
  });
  flusher.schedule(item('a'));
  flusher.schedule(item('b', new Error('broken')));
  flusher.schedule(item('c'));
  await turn();
  expect(log).toEqual(['a', 'b: Error: broken', 'c']);
});
