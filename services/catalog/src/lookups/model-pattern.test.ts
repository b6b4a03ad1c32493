import { describe, expect, it } from 'vitest';
import { modelMatcher } from './model-lists.ts';

describe('a model pattern', () => {
  it.each([
    ['acme/one', 'acme/one'],
    ['*', 'acme/one'],
    ['acme/*', 'acme/one'],
    ['acme/*', 'acme/'],
    ['*one', 'acme/one'],
    ['a*e*e', 'acme/one'],
    ['*/*', 'acme/one'],
    ['**', 'x'],
    ['a*b*c', 'axxbxxbxxc'],
    ['ab*ba', 'abba'],
    ['a.c*', 'a.c'],
  ])('%s matches %s', (pattern, id) => {
    expect(modelMatcher([pattern])(id)).toBe(true);
  });

  it.each([
    ['acme/one', 'acme/one-b'],
    ['acme/one', 'Acme/one'],
    ['acme/*', 'acme'],
    ['*one', 'one-b'],
    ['ab*ba', 'aba'],
    ['a*b*c', 'axxc'],
    ['a.c*', 'abc'],
    ['*a*a*', 'xa'],
  ])('%s does not match %s', (pattern, id) => {
    expect(modelMatcher([pattern])(id)).toBe(false);
  });

  it('is matched in little time, even with many wildcards', () => {
    const pattern = `${'*a'.repeat(120)}b`;
    expect(modelMatcher([pattern])('a'.repeat(256))).toBe(false);
  });

  it('can be one of several', () => {
    const matches = modelMatcher(['plain', 'acme/*', 'other/one', '*-small']);
    const ids = ['plain', 'acme/one', 'other/one', 'x-small', 'plain-b', 'other/two', 'small'];
    expect(ids.filter(matches)).toEqual(['plain', 'acme/one', 'other/one', 'x-small']);
    expect(ids.filter(modelMatcher([]))).toEqual([]);
  });
});
