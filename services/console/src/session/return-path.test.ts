import { expect, it } from 'vitest';
import { returnPath } from './return-path.ts';

it.each([
  ['/keys', '/keys'],
  ['/usage?by=model#table', '/usage?by=model#table'],
  [undefined, '/'],
  ['', '/'],
  ['keys', '/'],
  ['https://evil.example', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/..//evil.example', '/'],
  ['/%2e%2e//evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?return_to=/sign-in', '/'],
  ['/api/sign-out', '/'],
  [`/${'a'.repeat(600)}`, '/'],
])('%s leads to %s', (named, path) => {
  expect(returnPath(named)).toBe(path);
});
