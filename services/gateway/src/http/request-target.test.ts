import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTarget, routeOf } from './request-target.ts';

const ROOT = '/compat/v1';
const routed = (url: string) => routeOf(readTarget(url, ROOT));

describe('a route', () => {
  test.each([
    ['/compat/v1/models', { name: 'models' }],
    ['/compat/v1/models?limit=2', { name: 'models' }],
    ['/compat/v1/models#x', { name: 'models' }],
    ['/compat/v1/models/', { name: 'unknown' }],
    ['/compat/v1/models/a', { name: 'model', model: 'a' }],
    ['/compat/v1/models/a%2Fb', { name: 'model', model: 'a/b' }],
    ['/compat/v1/models/a%252Fb', { name: 'model', model: 'a%2Fb' }],
    ['/compat/v1/models/%', { name: 'model', model: undefined }],
    ['/compat/v1/models/a+b', { name: 'model', model: 'a+b' }],
    ['/compat/v1/chat/completions', { name: 'completions' }],
    ['/compat/v1/chat/completions/', { name: 'unknown' }],
    ['/compat/v1//models', { name: 'unknown' }],
    ['/compat/v1', { name: 'unknown' }],
    ['/openapi.json', { name: 'openapi' }],
    ['/compat/v1/openapi.json', { name: 'unknown' }],
    ['http://example.org/compat/v1/models', { name: 'models' }],
    ['HTTPS://example.org:8443/compat/v1/models/a', { name: 'model', model: 'a' }],
    ['http://example.org', { name: 'unknown' }],
    ['*', { name: 'unknown' }],
  ])('%s', (url, route) => {
    expect(routed(url)).toEqual(route);
  });

  test('of a model is found for any id, encoded as a whole', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
        expect(routed(`${ROOT}/models/${encodeURIComponent(id)}`)).toEqual({
          name: 'model',
          model: id,
        });
      }),
    );
  });

  test('is read from any text without a throw', () => {
    fc.assert(fc.property(fc.string(), (url) => void routed(url)));
    fc.assert(fc.property(fc.string(), (rest) => void routed(`${ROOT}/models/${rest}`)));
  });

  test('beyond the root is not inside of it', () => {
    expect(readTarget('/compat/v10/models', ROOT).insideApiRoot).toBe(false);
    expect(readTarget('/compat/v1', ROOT).insideApiRoot).toBe(true);
  });
});
