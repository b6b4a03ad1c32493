import { expect, test } from 'vitest';
import { readParameters } from './read-parameters.ts';

test.each([
  [[], 'check'],
  [['--fix'], 'fix'],
  [['--help'], 'help'],
  [['--fix', '-h'], 'help'],
  [['--fast'], undefined],
  [['--fix', 'packages/cli'], undefined],
])('%j is understood as %s', (parameters, wish) => {
  expect(readParameters(parameters)).toBe(wish);
});
