import { describe, expect, it } from 'vitest';
import { schemaTextOf } from '../dialect/schema-text.ts';
import type { JsonObject } from '../json/json.ts';
import { checkContent, compiledCharacters, preparedSchema } from './check-schema.ts';
import type { SchemaVerdict } from './schema-thread-messages.ts';

function checkSchema(schema: JsonObject, content: string): SchemaVerdict {
  return checkContent(preparedSchema(schemaTextOf(schema)), content);
}

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

it('a schema counts among those that were compiled the first time it comes', () => {
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

  it('reads tuples as the draft of the schema writes them', () => {
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

  it('reads tuples of the older drafts in a schema that names none', () => {
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
  ])('reads patterns with escapes that nobody needs: %s', (pattern, good, bad) => {
    expect(checkSchema({ type: 'string', pattern }, good)).toBe('matches');
    expect(checkSchema({ type: 'string', pattern }, bad)).toBe('differs');
  });

  it('takes remarks as they come, and a name that is required twice', () => {
    const remarked = { ...person, title: null, description: null, required: ['name', 'name'] };
    expect(checkSchema(remarked, '{"name":"Ann"}')).toBe('matches');
    expect(checkSchema(remarked, '{"age":7}')).toBe('differs');
  });

  it('follows references inside the schema and none to elsewhere', () => {
    const inside = {
      $defs: { n: { type: 'number' } },
      type: 'array',
      items: { $ref: '#/$defs/n' },
    };
    expect(checkSchema(inside, '[1]')).toBe('matches');
    expect(checkSchema(inside, '["1"]')).toBe('differs');
    expect(checkSchema({ $ref: 'https://example.com/schema.json' }, '{}')).toBe('unchecked');
  });

  it('takes two schemas of the same name for two', () => {
    expect(checkSchema({ $id: 'same', type: 'string' }, '"a"')).toBe('matches');
    expect(checkSchema({ $id: 'same', type: 'number' }, '"a"')).toBe('differs');
    expect(checkSchema({ $id: 'same', type: 'string' }, '"a"')).toBe('matches');
  });

  it('takes a name inside a schema for a matter of that schema', () => {
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
  ])('goes on after a schema that goes by the name of all schemas: %s', (name) => {
    const called = { $schema: name, $id: name, type: 'object' };
    expect(checkSchema(called, '[]')).not.toBe('matches');
    const next = { $schema: name, title: 'the next', type: 'object' };
    expect(checkSchema(next, '[]')).toBe('differs');
  });

  it('takes a schema that calls itself asynchronous for one like the others', () => {
    expect(checkSchema({ $async: true, type: 'object' }, '{}')).toBe('matches');
    expect(checkSchema({ $async: true, type: 'object' }, '[]')).toBe('differs');
  });

  it('looks at the members of the answer, not at those of every object', () => {
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
  ])('counts in steps of %d as people do: %s %s', (multipleOf, content, verdict) => {
    expect(checkSchema({ multipleOf }, content)).toBe(verdict);
  });

  it('leaves formats alone and does not fail on what is no schema', () => {
    expect(checkSchema({ type: 'string', format: 'email' }, '"not an address"')).toBe('matches');
    expect(checkSchema({ type: 'nonsense' }, '"a"')).toBe('unchecked');
    expect(checkSchema({ $id: 5, type: 'string' }, '"a"')).toBe('unchecked');
  });

  it('leaves alone what its validator stumbles over', () => {
    const schema: JsonObject = { enum: [[], { valueOf: null }] };
    expect(checkSchema(schema, '{"valueOf":null}')).toBe('unchecked');
    expect(checkSchema(schema, '[]')).toBe('matches');
  });

  it('remembers the newest schemas, and compiles one that it has forgotten again', () => {
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
