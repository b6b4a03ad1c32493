import { describe, expect, test } from 'vitest';
import { CatalogChanges } from './catalog-changes.ts';

const at = (sequence: number, epoch = 1) => ({ epoch, sequence });

function knowing(...news: Parameters<CatalogChanges['noteChange']>[0][]): CatalogChanges {
  const changes = new CatalogChanges();
  for (const one of news) changes.noteChange(one);
  return changes;
}

describe('a change that concerns an organization', () => {
  const changes = knowing(at(7), { ...at(8), organizations: ['acme'] });

  test('outdates the answers of that organization only', () => {
    expect(changes.hasChangedSince(at(7), 'acme')).toBe(true);
    expect(changes.hasChangedSince(at(8), 'acme')).toBe(false);
    expect(changes.hasChangedSince(at(7), 'other')).toBe(false);
    expect(changes.hasChangedSince(at(6), 'other')).toBe(true);
  });

  test('outdates answers about unknown entries', () => {
    expect(changes.hasChangedSince(at(7), undefined)).toBe(true);
    expect(changes.newestChange).toEqual(at(8));
  });
});

describe('a change outdates the answers of all organizations', () => {
  test.each([
    ['when it names no organization', at(8)],
    ['when a notice before it is missing', { ...at(9), organizations: ['acme'] }],
    ['when the store was recreated', { ...at(8, 2), organizations: ['acme'] }],
  ])('%s', (_when, change) => {
    expect(knowing(at(7), change).hasChangedSince(at(7), 'other')).toBe(true);
  });

  test('when more organizations have changed than are tracked', () => {
    const organizations = (from: number) =>
      Array.from({ length: 6_000 }, (_, number) => `o${from + number}`);
    const changes = knowing(
      at(7),
      { ...at(8), organizations: organizations(0) },
      { ...at(9), organizations: organizations(6_000) },
    );
    expect(changes.hasChangedSince(at(8), 'other')).toBe(true);
    expect(changes.hasChangedSince(at(8), 'o1')).toBe(true);
    expect(changes.hasChangedSince(at(9), 'o1')).toBe(false);
    // Later changes are tracked per organization again.
    changes.noteChange({ ...at(10), organizations: ['o1'] });
    expect(changes.hasChangedSince(at(9), 'o1')).toBe(true);
    expect(changes.hasChangedSince(at(9), 'other')).toBe(false);
  });
});

describe('a change of a model', () => {
  const ofModel = (sequence: number) => ({ ...at(sequence), answers: 'models' as const });
  const dependsOnModels = false;

  test('outdates the model-dependent answers of all organizations, and no others', () => {
    const changes = knowing(at(7), ofModel(8));
    expect(changes.hasChangedSince(at(7), 'acme')).toBe(true);
    expect(changes.hasChangedSince(at(8), 'acme')).toBe(false);
    expect(changes.hasChangedSince(at(7), 'acme', { dependsOnModels })).toBe(false);
    expect(changes.hasChangedSince(at(6), 'acme', { dependsOnModels })).toBe(true);
    expect(changes.newestChange).toEqual(at(8));
  });

  test('does not hide other changes before or after it', () => {
    const acme = { organizations: ['acme'] };
    const before = knowing(at(7), { ...at(8), ...acme }, ofModel(9));
    const after = knowing(at(7), ofModel(8), { ...at(9), ...acme });
    for (const changes of [before, after]) {
      expect(changes.hasChangedSince(at(7), 'acme', { dependsOnModels })).toBe(true);
      expect(changes.hasChangedSince(at(7), 'other', { dependsOnModels })).toBe(false);
      expect(changes.hasChangedSince(at(7), 'other')).toBe(true);
    }
  });

  test('outdates everything when a notice before it is missing or its revision is repeated', () => {
    const missing = knowing(at(7), ofModel(9));
    expect(missing.hasChangedSince(at(8), 'acme', { dependsOnModels })).toBe(true);
    const repeated = knowing(at(7), at(8), ofModel(8));
    expect(repeated.hasChangedSince(at(7), 'acme', { dependsOnModels })).toBe(true);
  });
});

test('a notice of an older revision is ignored', () => {
  const changes = knowing(at(7), { ...at(8), organizations: [] }, at(7));
  expect(changes.hasChangedSince(at(7), 'acme')).toBe(false);
  expect(changes.newestChange).toEqual(at(8));
});

test('a change from an older store is reported once and does not become the newest', () => {
  const changes = knowing(at(7, 2));
  expect(changes.noteChange(at(5))).toBe(false);
  expect(changes.noteChange(at(5))).toBe(true);
  expect(changes.noteChange(at(6))).toBe(false);
  expect(changes.noteChange(at(7, 2))).toBe(true);
  expect(changes.newestChange).toEqual(at(7, 2));
});

describe('a catalog that could not be reached', () => {
  test('counts as unreachable until it answers or a change arrives', () => {
    const changes = knowing(at(7));
    expect(changes.isUnreachable).toBe(false);
    changes.noteFailure(5);
    expect(changes.isUnreachable).toBe(true);
    changes.noteAnswer();
    expect(changes.isUnreachable).toBe(false);
    changes.noteFailure(5);
    changes.noteChange({ ...at(8), organizations: [] });
    expect(changes.isUnreachable).toBe(false);
    changes.noteFailure(5);
    changes.invalidateAll(6);
    expect(changes.isUnreachable).toBe(false);
  });
});
