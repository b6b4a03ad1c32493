import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnsatisfiableSchema } from './merge-schemas.ts';
import { SeededRandom } from './random.ts';
import { stringForSchema } from './schema-string.ts';
import type { JsonSchema } from './schema-validator.ts';
import { valueForSchema } from './schema-value.ts';

const judge = new Ajv({ strict: false });
ajvFormats.default(judge);

function expectValid(schema: JsonSchema, seed: number): void {
  const validate = judge.compile(schema);
  const value = valueForSchema(schema, new SeededRandom(seed));
  validate(value);
  expect({ value, errors: validate.errors }).toEqual({ value, errors: null });
}

const bounded = <Value>(make: (least: number, most: number) => Value) =>
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 40 }))
    .map(([least, extra]) => make(least, least + extra));

const { schema: anySchema } = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<JsonSchema>(
      true,
      {},
      { type: 'boolean' },
      { type: 'null' },
      { type: ['string', 'null'] },
      { type: 'string' },
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'uuid' },
      { type: 'string', pattern: '^[a-f]{2,6}$' },
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.001 },
      { const: { fixed: [1, null] } },
    ),
    fc
      .uniqueArray(fc.jsonValue({ maxDepth: 1 }), {
        minLength: 1,
        maxLength: 4,
        selector: (value) => JSON.stringify(value),
      })
      // Ajv cannot compare these values, because it calls these members.
      .filter((values) => !/"(?:valueOf|toString)":/.test(JSON.stringify(values)))
      .map((values) => ({
        enum: values,
      })),
    bounded((minimum, maximum) => ({ type: 'integer', minimum, maximum })),
    bounded((minimum, maximum) => ({ type: 'number', minimum, maximum })),
    fc.tuple(fc.nat(12), fc.nat(30)).map(([minLength, extra]) => ({
      type: 'string',
      minLength,
      maxLength: minLength + extra,
    })),
    tie('object'),
    fc
      .record({ items: tie('schema'), minItems: fc.nat(3), extra: fc.nat(3) })
      .map(({ items, minItems, extra }) => ({
        type: 'array',
        items,
        minItems,
        maxItems: minItems + extra,
      })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie('object'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
  ),
  // Property names differ between branches, so that merged objects do not contradict each other.
  object: fc
    .uniqueArray(fc.tuple(fc.uuid(), tie('schema'), fc.boolean()), {
      maxLength: 4,
      selector: ([name]) => name,
    })
    .map((properties) => ({
      type: 'object',
      properties: Object.fromEntries(properties.map(([name, schema]) => [name, schema])),
      required: properties.filter(([, , required]) => required).map(([name]) => name),
    })),
}));

test('every value made for a schema is accepted by it', () => {
  fc.assert(
    fc.property(anySchema, fc.nat(), (schema, seed) => expectValid(schema, seed)),
    { numRuns: 300 },
  );
});

const tree = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    left: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
    children: { type: 'array', items: { $ref: '#' } },
  },
  required: ['name', 'left', 'children'],
  additionalProperties: false,
};

test('a text with emoji has as many characters as the schema requires', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const text = stringForSchema({ minLength: 60 }, new SeededRandom(seed));
    expect(Array.from(text).length).toBeGreaterThanOrEqual(60);
  }
});

test('a value that the validator cannot compare is never made', () => {
  const schema: JsonSchema = { enum: [{ a: 1 }, { valueOf: null }] };
  for (let seed = 0; seed < 20; seed += 1) {
    expect(valueForSchema(schema, new SeededRandom(seed))).toEqual({ a: 1 });
  }
});

describe('difficult keywords', () => {
  test.each<[string, JsonSchema]>([
    ['a tree that holds itself', tree],
    [
      'references into definitions',
      {
        $defs: { 'a/b': { type: 'integer', minimum: 3, maximum: 3 } },
        type: 'object',
        properties: { count: { $ref: '#/$defs/a~1b', description: 'beside' } },
        required: ['count'],
      },
    ],
    ['alternatives of which one must fit', { oneOf: [{ type: 'integer' }, { type: 'number' }] }],
    [
      'an object told apart by a constant',
      {
        type: 'object',
        properties: { kind: { type: 'string' } },
        required: ['kind'],
        oneOf: [
          {
            properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
            required: ['radius'],
          },
          {
            properties: { kind: { const: 'square' }, side: { type: 'number' } },
            required: ['side'],
          },
        ],
      },
    ],
    [
      'items that all differ',
      {
        type: 'array',
        items: { type: 'integer', minimum: 1, maximum: 4 },
        minItems: 4,
        uniqueItems: true,
      },
    ],
    [
      'an array that contains something',
      {
        type: 'array',
        items: { type: 'integer' },
        contains: { minimum: 90, maximum: 95 },
        minItems: 2,
      },
    ],
    [
      'a number of further properties',
      { type: 'object', minProperties: 3, additionalProperties: { type: 'boolean' } },
    ],
    [
      'names by a pattern',
      {
        type: 'object',
        minProperties: 2,
        patternProperties: { '^x-[a-z]{3}$': { type: 'integer' } },
        additionalProperties: false,
      },
    ],
    [
      'few properties of many',
      { type: 'object', maxProperties: 1, properties: { a: true, b: true, c: true } },
    ],
    ['steps', { type: 'number', multipleOf: 0.25, minimum: 1, maximum: 2 }],
    [
      'steps of whole numbers',
      { type: 'integer', multipleOf: 7, exclusiveMinimum: 7, exclusiveMaximum: 15 },
    ],
    ['something that is not', { type: 'string', not: { enum: ['x'] }, minLength: 1 }],
    [
      'a condition',
      JSON.parse(
        '{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"string"}},' +
          '"required":["a"],"if":{"properties":{"a":{"const":true}}},"then":{"required":["b"]}}',
      ) as JsonSchema,
    ],
    ['a required property without a schema', { type: 'object', required: ['anything'] }],
    [
      'a property called __proto__',
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}',
      ) as JsonSchema,
    ],
    [
      'all of several',
      {
        allOf: [
          { type: 'number', minimum: 2 },
          { type: 'integer', maximum: 4 },
        ],
      },
    ],
    ['a string neither short nor long', { type: 'string', minLength: 200, maxLength: 210 }],
    ['no string at all', { type: 'string', maxLength: 0 }],
  ])('%s', (_title, schema) => {
    for (let seed = 0; seed < 40; seed += 1) expectValid(schema, seed);
  });

  test('a tuple in the current and in the earlier dialect', () => {
    const present = {
      type: 'array',
      prefixItems: [{ const: 1 }, { const: 'b' }],
      items: false,
      minItems: 2,
    };
    expect(valueForSchema(present, new SeededRandom(1))).toEqual([1, 'b']);
    const earlier = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [{ const: 1 }, { const: 'b' }],
      additionalItems: false,
      minItems: 2,
    };
    expect(valueForSchema(earlier, new SeededRandom(1))).toEqual([1, 'b']);
  });

  test.each([
    'date',
    'time',
    'date-time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uri-reference',
    'uri-template',
    'uuid',
    'json-pointer',
    'relative-json-pointer',
    'regex',
    'byte',
  ])('the format %s', (format) => {
    for (let seed = 0; seed < 20; seed += 1) expectValid({ type: 'string', format }, seed);
  });
});

test('the same seed makes the same value', () => {
  const make = (seed: number) => JSON.stringify(valueForSchema(tree, new SeededRandom(seed)));
  expect(make(5)).toBe(make(5));
  expect(new Set(Array.from({ length: 20 }, (_, seed) => make(seed))).size).toBeGreaterThan(5);
});

test.each<[string, JsonSchema]>([
  ['nothing', false],
  ['a type that excludes itself', { allOf: [{ type: 'string' }, { type: 'number' }] }],
  ['an empty range', { type: 'integer', minimum: 5, maximum: 4 }],
  [
    'an object without end',
    { type: 'object', properties: { me: { $ref: '#' } }, required: ['me'] },
  ],
  ['a pattern that looks around', { type: 'string', pattern: '^(?=a)b$' }],
  ['its own opposite', { type: 'boolean', not: { type: 'boolean' } }],
])('a schema for %s is refused, not answered wrongly', (_title, schema) => {
  expect(() => valueForSchema(schema, new SeededRandom(0))).toThrow(UnsatisfiableSchema);
});

test('a schema that is not valid itself throws', () => {
  expect(() => valueForSchema({ type: 'strange' }, new SeededRandom(0))).toThrow(
    'schema is invalid',
  );
  expect(() => valueForSchema({ $ref: 'https://example.com/x' }, new SeededRandom(0))).toThrow(
    'resolve',
  );
});

test('two schemas with the same $id do not affect each other', () => {
  const named = (type: string) => ({ $id: 'https://example.com/thing', type });
  for (let turn = 0; turn < 3; turn += 1) {
    expect(valueForSchema(named('boolean'), new SeededRandom(turn))).toBeTypeOf('boolean');
    expect(valueForSchema(named('string'), new SeededRandom(turn))).toBeTypeOf('string');
  }
});

test.each<JsonSchema>([
  { type: 'array', minItems: 1e9 },
  { type: 'array', contains: {}, minContains: 1e9 },
  { type: 'string', minLength: 1e9 },
  { type: 'string', pattern: '^a{1000000000}$' },
  { type: 'string', pattern: '^((a{9999}){9999}){9999}$' },
  { type: 'object', minProperties: 1e9 },
])('%j asks for too much, and is refused before a value is made', (schema) => {
  expect(() => valueForSchema(schema, new SeededRandom(1))).toThrow(UnsatisfiableSchema);
});
