import { describe, expect, test } from 'vitest';
import { CatalogKnowledge } from './catalog-knowledge.ts';

const at = (sequence: number, epoch = 1) => ({ epoch, sequence });

function knowing(...news: Parameters<CatalogKnowledge['noteChange']>[0][]): CatalogKnowledge {
  const knowledge = new CatalogKnowledge();
  for (const one of news) knowledge.noteChange(one);
  return knowledge;
}

describe('a change that concerns an organization', () => {
  const knowledge = knowing(at(7), { ...at(8), organizations: ['acme'] });

  test('makes its answers old, and those of no other', () => {
    expect(knowledge.hasChangedSince(at(7), 'acme')).toBe(true);
    expect(knowledge.hasChangedSince(at(8), 'acme')).toBe(false);
    expect(knowledge.hasChangedSince(at(7), 'other')).toBe(false);
    expect(knowledge.hasChangedSince(at(6), 'other')).toBe(true);
  });

  test('may concern who is not known', () => {
    expect(knowledge.hasChangedSince(at(7), undefined)).toBe(true);
    expect(knowledge.newestChange).toEqual(at(8));
  });
});

describe('a change concerns all', () => {
  test.each([
    ['when it says nothing of whom', at(8)],
    ['when news is missing before it', { ...at(9), organizations: ['acme'] }],
    ['when the store was made anew', { ...at(8, 2), organizations: ['acme'] }],
  ])('%s', (_when, news) => {
    expect(knowing(at(7), news).hasChangedSince(at(7), 'other')).toBe(true);
  });

  test('when too many have changed to keep them apart', () => {
    const organizations = (from: number) =>
      Array.from({ length: 6_000 }, (_, number) => `o${from + number}`);
    const knowledge = knowing(
      at(7),
      { ...at(8), organizations: organizations(0) },
      { ...at(9), organizations: organizations(6_000) },
    );
    expect(knowledge.hasChangedSince(at(8), 'other')).toBe(true);
    expect(knowledge.hasChangedSince(at(8), 'o1')).toBe(true);
    expect(knowledge.hasChangedSince(at(9), 'o1')).toBe(false);
    // Only that once: from then on they are kept apart again.
    knowledge.noteChange({ ...at(10), organizations: ['o1'] });
    expect(knowledge.hasChangedSince(at(9), 'o1')).toBe(true);
    expect(knowledge.hasChangedSince(at(9), 'other')).toBe(false);
  });
});

describe('a change of a model', () => {
  const ofModel = (sequence: number) => ({ ...at(sequence), answers: 'models' as const });
  const dependsOnModels = false;

  test('makes what depends on models old for all, and nothing else', () => {
    const knowledge = knowing(at(7), ofModel(8));
    expect(knowledge.hasChangedSince(at(7), 'acme')).toBe(true);
    expect(knowledge.hasChangedSince(at(8), 'acme')).toBe(false);
    expect(knowledge.hasChangedSince(at(7), 'acme', { dependsOnModels })).toBe(false);
    expect(knowledge.hasChangedSince(at(6), 'acme', { dependsOnModels })).toBe(true);
    expect(knowledge.newestChange).toEqual(at(8));
  });

  test('hides no other change, before or after it', () => {
    const acme = { organizations: ['acme'] };
    const before = knowing(at(7), { ...at(8), ...acme }, ofModel(9));
    const after = knowing(at(7), ofModel(8), { ...at(9), ...acme });
    for (const knowledge of [before, after]) {
      expect(knowledge.hasChangedSince(at(7), 'acme', { dependsOnModels })).toBe(true);
      expect(knowledge.hasChangedSince(at(7), 'other', { dependsOnModels })).toBe(false);
      expect(knowledge.hasChangedSince(at(7), 'other')).toBe(true);
    }
  });

  test('may be of anything when news is missing before it, or when its place was told before', () => {
    const missing = knowing(at(7), ofModel(9));
    expect(missing.hasChangedSince(at(8), 'acme', { dependsOnModels })).toBe(true);
    const repeated = knowing(at(7), at(8), ofModel(8));
    expect(repeated.hasChangedSince(at(7), 'acme', { dependsOnModels })).toBe(true);
  });
});

test('old news says nothing', () => {
  const knowledge = knowing(at(7), { ...at(8), organizations: [] }, at(7));
  expect(knowledge.hasChangedSince(at(7), 'acme')).toBe(false);
  expect(knowledge.newestChange).toEqual(at(8));
});

test('a change of an older store is told apart, once, and makes no place the newest', () => {
  const knowledge = knowing(at(7, 2));
  expect(knowledge.noteChange(at(5))).toBe(false);
  expect(knowledge.noteChange(at(5))).toBe(true);
  expect(knowledge.noteChange(at(6))).toBe(false);
  expect(knowledge.noteChange(at(7, 2))).toBe(true);
  expect(knowledge.newestChange).toEqual(at(7, 2));
});

describe('a catalog that could not be asked', () => {
  test('is away until it answers, or until something is heard of it', () => {
    const knowledge = knowing(at(7));
    expect(knowledge.isAway).toBe(false);
    knowledge.noteFailure(5);
    expect(knowledge.isAway).toBe(true);
    knowledge.noteAnswer();
    expect(knowledge.isAway).toBe(false);
    knowledge.noteFailure(5);
    knowledge.noteChange({ ...at(8), organizations: [] });
    expect(knowledge.isAway).toBe(false);
    knowledge.noteFailure(5);
    knowledge.noteMissedNews(6);
    expect(knowledge.isAway).toBe(false);
  });
});
