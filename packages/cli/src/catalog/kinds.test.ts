import { expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { readKind } from './kinds.ts';

test.each([
  ['plans', 'plans'],
  ['plan', 'plans'],
  ['organization', 'organizations'],
  ['keys', 'api_keys'],
  ['key', 'api_keys'],
  ['api-keys', 'api_keys'],
  ['api_key', 'api_keys'],
])('%s', (text, kind) => {
  expect(readKind(text)).toBe(kind);
});

test.each(['', 'users', 'constructor'])('%j is no kind', (text) => {
  expect(() => readKind(text)).toThrow(UsageError);
});
