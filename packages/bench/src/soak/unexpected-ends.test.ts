import { expect, it } from 'vitest';
import { unexpectedEnds } from './unexpected-ends.ts';

it('names the processes that ended by themselves, and how often', () => {
  const faults = ['kill worker', 'restart worker', 'freeze quota', 'kill worker-2'];
  const processes = [
    { name: 'worker', restarts: 2 },
    { name: 'worker-2', restarts: 3 },
    { name: 'quota', restarts: 1 },
    { name: 'gateway', restarts: 0 },
  ];
  expect(
    unexpectedEnds(
      processes,
      faults.map((name) => ({ name })),
    ),
  ).toEqual(['worker-2 (2 times)', 'quota (1 time)']);
});
