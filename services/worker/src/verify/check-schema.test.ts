import { describe, expect, it } from 'vitest';
import { schemaTextOf } from '../dialects/schema-text.ts';
import type { JsonObject } from '../json/json.ts';
import { checkContent, compiledCharacters, preparedSchema } from './check-schema.ts';
import type { SchemaVerdict } from './schema-thread.ts';

function checkSchema(schema: JsonObject, content: string): SchemaVerdict {
  return checkContent(preparedSchema(schemaTextOf(schema)), content);
}

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

it('counts the characters of a schema once, when it is compiled', () => {
  const schema = { const: 'counted' };
  const before = compiledCharacters();
  checkSchema(schema, '1');
  checkSchema(schema, '2');
  expect(compiledCharacters() - before).toBe(JSON.stringify(schema).length);
});

describe('checking content against a schema', () => {
  it.each([
    ['{"name":"Ann","age":7}', 'matches'],
    ['{"name":"Ann","age":-1}', 'differs'],
    ['{"name":"Ann"}', 'differs'],
    ['{"name":"Ann","age":7', 'differs'],
    ['', 'differs'],
    ['"text"', 'differs'],
  ])('%s %s', (content, verdict) => {
    expect(checkSchema(person, content)).toBe(verdict);
  });

  it('reads tuples in the form of the draft that the schema names', () => {
    const old = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      additionalItems: false,
    };
    expect(checkSchema(old, '["a"]')).toBe('matches');
    expect(checkSchema(old, '[1]')).toBe('differs');
    const present = { type: 'array', prefixItems: [{ type: 'string' }], items: false };
    expect(checkSchema(present, '["a"]')).toBe('matches');
    expect(checkSchema(present, '["a", 1]')).toBe('differs');
  });

  it('reads tuples of older drafts in a schema that names no draft', () => {
    const unnamed = { type: 'array', items: [{ type: 'string' }], additionalItems: false };
    expect(checkSchema(unnamed, '["a"]')).toBe('matches');
    expect(checkSchema(unnamed, '[1]')).toBe('differs');
    expect(checkSchema(unnamed, '["a", 1]')).toBe('differs');
    const both = { items: [{ type: 'string' }], contains: { const: 'b' }, minContains: 0 };
    expect(checkSchema(both, '["a"]')).toBe('matches');
  });

  it.each([
    ['^\\d{3}\\-\\d{4}$', '"555-1234"', '"5551234"'],
    ['^[a\\-z]+$', '"a-z"', '"abc"'],
    ['^\\p{L}+\\@\\p{L}+$', '"zoë@home"', '"zoë"'],
    ['^\\\\-$', String.raw`"\\-"`, '"-"'],
  ])('accepts patterns with needless escapes: %s', (pattern, good, bad) => {
    expect(checkSchema({ type: 'string', pattern }, good)).toBe('matches');
    expect(checkSchema({ type: 'string', pattern }, bad)).toBe('differs');
  });

  it('accepts annotations of any type, and a name that is required twice', () => {
    const remarked = { ...person, title: null, description: null, required: ['name', 'name'] };
    expect(checkSchema(remarked, '{"name":"Ann"}')).toBe('matches');
    expect(checkSchema(remarked, '{"age":7}')).toBe('differs');
  });

  it('follows references inside the schema and refuses external ones', () => {
    const inside = {
      $defs: { n: { type: 'number' } },
      type: 'array',
      items: { $ref: '#/$defs/n' },
    };
    expect(checkSchema(inside, '[1]')).toBe('matches');
    expect(checkSchema(inside, '["1"]')).toBe('differs');
    expect(checkSchema({ $ref: 'https://example.com/schema.json' }, '{}')).toBe('unchecked');
  });

  it('distinguishes two schemas of the same name', () => {
    expect(checkSchema({ $id: 'same', type: 'string' }, '"a"')).toBe('matches');
    expect(checkSchema({ $id: 'same', type: 'number' }, '"a"')).toBe('differs');
    expect(checkSchema({ $id: 'same', type: 'string' }, '"a"')).toBe('matches');
  });

  it('limits the names inside a schema to that schema', () => {
    const outer = {
      $defs: { part: { $id: 'urn:example:part', type: 'string' } },
      $ref: 'urn:example:part',
    };
    expect(checkSchema(outer, '1')).toBe('differs');
    expect(checkSchema({ $id: 'urn:example:part', type: 'object' }, '1')).toBe('differs');
    expect(checkSchema({ $ref: 'urn:example:part' }, '1')).toBe('unchecked');
  });

  it.each([
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft/2020-12/schema',
  ])('still works after a schema with the id of a meta-schema: %s', (name) => {
    const called = { $schema: name, $id: name, type: 'object' };
    expect(checkSchema(called, '[]')).not.toBe('matches');
    const next = { $schema: name, title: 'the next', type: 'object' };
    expect(checkSchema(next, '[]')).toBe('differs');
  });

  it('ignores $async in a schema', () => {
    expect(checkSchema({ $async: true, type: 'object' }, '{}')).toBe('matches');
    expect(checkSchema({ $async: true, type: 'object' }, '[]')).toBe('differs');
  });

  it('ignores inherited members of the reply', () => {
    const result = {
      type: 'object',
      properties: { driver: { type: 'string' }, constructor: { type: 'string' } },
    };
    expect(checkSchema(result, '{"driver":"Ann"}')).toBe('matches');
    expect(checkSchema(result, '{"driver":"Ann","constructor":1}')).toBe('differs');
    expect(checkSchema({ ...result, required: ['constructor'] }, '{"driver":"Ann"}')).toBe(
      'differs',
    );
  });

  it.each([
    [0.01, '19.99', 'matches'],
    [0.01, '0.07', 'matches'],
    [0.1, '-0.3', 'matches'],
    [1, '1e300', 'matches'],
    [0.01, '1.005', 'differs'],
    [5, '7', 'differs'],
    [1, '0.5', 'differs'],
  ])('checks multiples of %d without rounding errors: %s %s', (multipleOf, content, verdict) => {
    expect(checkSchema({ multipleOf }, content)).toBe(verdict);
  });

  it('ignores formats and does not fail on an invalid schema', () => {
    expect(checkSchema({ type: 'string', format: 'email' }, '"not an address"')).toBe('matches');
    expect(checkSchema({ type: 'nonsense' }, '"a"')).toBe('unchecked');
    expect(checkSchema({ $id: 5, type: 'string' }, '"a"')).toBe('unchecked');
  });

  it.each([
    [{ enum: [[], { valueOf: null }] }, '{"valueOf":null}', '{"valueOf":1}'],
    [
      {
        maxItems: 2,
        patternProperties: { '^a': true, '^[a-z]+$': true },
        anyOf: [{ $ref: '#/$defs/any' }, { additionalProperties: { type: 'integer' } }],
        $defs: { any: true },
      },
      '{"b":"a","a":{"a":true}}',
      '[1,2,3]',
    ],
  ])('interprets a reply for which the compiled validator throws: %j', (schema, right, wrong) => {
    expect([checkSchema(schema, right), checkSchema(schema, wrong)]).toEqual([
      'matches',
      'differs',
    ]);
  });

  it('remembers the newest schemas, and compiles a forgotten one again', () => {
    const compiledFor = (schema: JsonObject) => {
      const before = compiledCharacters();
      expect(checkSchema(schema, '"another"')).toBe('differs');
      return compiledCharacters() - before;
    };
    const oldest = { const: 'the oldest' };
    const next = { const: 'the next' };
    compiledFor(oldest);
    compiledFor(next);
    for (let index = 0; index < 255; index += 1) compiledFor({ const: index });
    expect(compiledFor(next)).toBe(0);
    expect(compiledFor(oldest)).toBe(JSON.stringify(oldest).length);
  });
});
