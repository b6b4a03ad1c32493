import { expect, test } from 'vitest';
import { CatalogChanged } from './catalog-changed.ts';

test.each([
  ['all answers when it says nothing of them', {}, undefined],
  ['those that it says', { answers: 'models' }, 'models'],
  ['all answers when it names some that are not known here', { answers: 'weather' }, undefined],
])('a notification of a change concerns %s', (_which, said, answers) => {
  expect(CatalogChanged.parse({ epoch: 1, sequence: 2, ...said }).answers).toBe(answers);
});
