import { describe, expect, test } from 'vitest';
import { isSoundPattern } from './schema-pattern.ts';

describe('the counts of a pattern', () => {
  test.each([
    'a{1,2}',
    'a{2,2}',
    'a{2,}',
    'a{2}',
    'a{,2}',
    'a{}',
    '\\{2,1}',
    '[{2,1}]',
    'a{2,1',
    'a{3,2,1}',
    '\\p{L}{1,9}',
    '(a{9}){1,9}',
  ])('are in order in %s', (text) => {
    expect(isSoundPattern(text)).toBe(true);
  });

  test.each([
    'a{2,1}',
    '^(?:a|b{10,9})$',
    '[a]{5,2}?',
    '\\d{5,2}',
    'a{1,2}{2,1}',
    'a{5, 2}',
    'a{ 5x,2x}',
    'a{+5,-2}',
  ])('are reversed for some runtime in %s', (text) => {
    expect(isSoundPattern(text)).toBe(false);
  });
});
