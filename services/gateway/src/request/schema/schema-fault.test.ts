import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSchemaFault } from './schema-fault.ts';

const faultyKeyword = (schema: object) => findSchemaFault(schema)?.keyword;

describe('a schema', () => {
  test.each([
    [{}],
    [{ type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'] }],
    [{ type: 'array', items: { $ref: '#/$defs/node' }, $defs: { node: { enum: [1, 'a', null] } } }],
    [{ $ref: '#' }],
    [{ $ref: '#/definitions/a~1b', definitions: { 'a/b': true } }],
    [{ $ref: '#/definitions/a~01b', definitions: { 'a~1b': true } }],
    [{ $ref: '#/definitions/a%7E1%62', definitions: { 'a/b': true } }],
    [{ $ref: '#/definitions//x', definitions: { '': { x: {} } } }],
    [{ $ref: '#/x', x: { items: { $ref: '#/y' } }, y: { $ref: '#/x' } }],
    [{ $ref: '#node', $defs: { node: { $anchor: 'node' } } }],
    [{ $id: 'T0', properties: { n: { type: 'array', items: { $ref: 'T0' } } } }],
    [{ $ref: 'T0', $defs: { node: { $id: 'T0' } } }],
    [{ $id: 'T0', $ref: 'T0' }],
    [{ items: { $ref: 'https://example.org/a' }, not: { $id: 'https://example.org/a' } }],
    [{ $ref: '#/x', x: { $id: 'T0', items: { $ref: 'T0' } } }],
    [{ $ref: '__proto__', not: { $id: '__proto__' } }],
    [{ anyOf: [{ $id: 'T0' }, { $id: 'T0', type: 'string' }, { $ref: 'T0' }] }],
    [{ $id: 7, not: { $id: null } }],
    [{ items: [{ type: 'string' }], additionalItems: false }],
    [{ prefixItems: [{}], items: false, minItems: 0 }],
    [{ minimum: 1, exclusiveMinimum: true, multipleOf: 0.01 }],
    [{ pattern: '[(]\\(\\[[^\\]]+(?:a|(?<b>c))' }],
    [{ pattern: 'a'.repeat(1_024) }],
    [{ anyOf: Array.from({ length: 256 }, () => ({ pattern: 'a' })) }],
    [{ minItems: 1_000_000, maxItems: Number.MAX_SAFE_INTEGER, maxLength: 2 ** 31 }],
    [{ minLength: 2, maxLength: 2, minItems: 0, maxItems: 0, minProperties: 1 }],
    [{ minimum: 2, maximum: 1, minContains: 2, maxContains: 1 }],
    [{ properties: { minLength: { const: 5 }, maxLength: { const: 2 } } }],
    [{ pattern: '^\\p{L}+$', patternProperties: { '^x-': {} } }],
    [
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: 'T',
        format: 'date',
        nullable: true,
      },
    ],
    [{ const: { $ref: 'data' }, default: { type: 'anything' }, examples: [{ $ref: 7 }] }],
    [{ const: Number.MAX_VALUE, enum: [-1e300, 'Infinity', null], 'x-y': { '': [0.1] } }],
    [
      {
        properties: {
          type: { type: 'string' },
          $ref: { type: 'string' },
          required: { type: 'boolean' },
        },
      },
    ],
  ])('%j is valid', (schema) => {
    expect(faultyKeyword(schema)).toBeUndefined();
  });

  test.each([
    [{ type: {} }, 'type'],
    [{ type: 'any' }, 'type'],
    [{ type: [] }, 'type'],
    [{ properties: { a: { required: true } } }, 'required'],
    [{ properties: { a: 'string' } }, 'properties'],
    [{ properties: [] }, 'properties'],
    [{ items: { anyOf: [] } }, 'anyOf'],
    [{ allOf: [{ minLength: -1 }] }, 'minLength'],
    [{ not: 'x' }, 'not'],
    [{ enum: 'a' }, 'enum'],
    [{ pattern: '(' }, 'pattern'],
    [{ patternProperties: { '(': {} } }, 'patternProperties'],
    [{ pattern: ')' }, 'pattern'],
    [{ pattern: ')(' }, 'pattern'],
    [{ pattern: '[a-z' }, 'pattern'],
    [{ pattern: 'a\\' }, 'pattern'],
    [{ pattern: 'a'.repeat(1_025) }, 'pattern'],
    [{ pattern: '^a{2,1}$' }, 'pattern'],
    [{ patternProperties: { 'a{2,1}': {} } }, 'patternProperties'],
    [{ anyOf: Array.from({ length: 257 }, () => ({ pattern: 'a' })) }, 'pattern'],
    [{ minItems: 1e9 }, 'minItems'],
    [{ minLength: 1_000_001 }, 'minLength'],
    [{ minLength: 5, maxLength: 2 }, 'minLength'],
    [{ items: { maxItems: 0, minItems: 1 } }, 'minItems'],
    [{ properties: { a: { minProperties: 3, maxProperties: 2 } } }, 'minProperties'],
    [{ multipleOf: 0 }, 'multipleOf'],
    [{ $ref: '#/$defs/nobody' }, '$ref'],
    [{ $ref: '#/x', x: { minItems: 1e9 } }, 'minItems'],
    [{ $ref: '#/default/a', default: { a: { type: 'any' } } }, 'type'],
    [{ $ref: '#/enum/0', enum: [{ type: 'any' }] }, 'type'],
    [{ $ref: '#/properties', properties: { type: {} } }, 'type'],
    [{ items: { $ref: '#/x/y' }, x: { y: { $ref: '#/z' } }, z: { not: 1 } }, 'not'],
    [{ $ref: '#/x', x: { $ref: '#/$defs/nobody' } }, '$ref'],
    [{ $ref: '#/__proto__' }, '$ref'],
    [{ $ref: '#/$defs/a/', $defs: { a: {} } }, '$ref'],
    [{ $ref: '#/%zz' }, '$ref'],
    [{ $ref: 'https://example.org/schema.json' }, '$ref'],
    [{ $ref: 'file:///etc/passwd' }, '$ref'],
    [{ $id: 'T0', items: { $ref: 'T1' } }, '$ref'],
    [{ $id: 'T0', items: { $ref: 'T0#/items' } }, '$ref'],
    [{ $id: 7, items: { $ref: '7' } }, '$ref'],
    [{ properties: { $id: { const: 'T0' } }, items: { $ref: 'T0' } }, '$ref'],
    [{ const: { $id: 'T0' }, enum: [{ $id: 'T0' }], items: { $ref: 'T0' } }, '$ref'],
    [{ $ref: 'toString' }, '$ref'],
    [{ $ref: '#/x', x: { $ref: 'T1' } }, '$ref'],
    [{ properties: { $id: 'T0' } }, 'properties'],
    [{ $ref: 'T0', not: { $id: 'T0', type: 'any' } }, 'type'],
    [{ $id: 'T0', default: { $id: Infinity }, $ref: 'T0' }, 'default'],
    [{ minimum: -Infinity }, 'minimum'],
    [{ maximum: Infinity }, 'maximum'],
    [{ exclusiveMinimum: Infinity }, 'exclusiveMinimum'],
    [{ multipleOf: Infinity }, 'multipleOf'],
    [{ maxItems: Infinity }, 'maxItems'],
    [{ enum: [{ a: [Infinity] }] }, 'enum'],
    [{ const: Infinity }, 'const'],
    [{ items: { default: { a: -Infinity } } }, 'default'],
    [{ examples: [1, Infinity] }, 'examples'],
    [{ 'x-y': { minimum: Infinity } }, 'x-y'],
  ])('%j is invalid because of %s', (schema, keyword) => {
    expect(faultyKeyword(schema)).toBe(keyword);
  });

  test.each(
    Object.entries({
      'additionalProperties unevaluatedProperties propertyNames additionalItems': 'x',
      'unevaluatedItems contains not if then else items': 'x',
      'prefixItems allOf anyOf oneOf': ['x'],
      'properties patternProperties dependentSchemas $defs definitions': { a: 'x' },
      'minLength minItems minContains minProperties': 1e9,
      'maxLength maxItems maxContains maxProperties': -1,
      'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf': '1',
    }).flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)),
  )('is none when %s is %j', (name, value) => {
    expect(faultyKeyword({ [name]: value })).toBe(name);
  });

  test.each([
    [{ anyOf: Array.from({ length: 257 }, () => ({ pattern: 'a' })) }, 'more than 256 patterns'],
    [{ pattern: 'a'.repeat(1_025) }, 'more than 1024 characters'],
    [{ minItems: 1_000_001 }, 'greater than 1000000'],
    [{ minItems: -1 }, undefined],
    [{ pattern: '(' }, undefined],
  ])('that is too large is reported with the limit: %#', (schema, words) => {
    const limit = findSchemaFault(schema)?.limit;
    if (words === undefined) expect(limit).toBeUndefined();
    else expect(limit).toContain(words);
  });

  test('is checked without compiling its patterns, which could take seconds', () => {
    // No engine compiles this pattern, but all brackets that the check reads are closed.
    expect(faultyKeyword({ pattern: '(?<n>a)(?<n>a)' })).toBeUndefined();
  });

  test('may have any number of references to one target, within a limit of steps', () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
    const place = `#/x${'/a'.repeat(60)}`;
    const same = Array.from({ length: 5_000 }, () => ({ $ref: place }));
    expect(faultyKeyword({ x: deep(60), allOf: same })).toBeUndefined();
    const spelt = (number: number) =>
      number.toString(2).padStart(10, '0').replaceAll('0', '/a').replaceAll('1', '/%61');
    const different = Array.from({ length: 1_000 }, (_, number) => ({
      $ref: `#/x${'/a'.repeat(50)}${spelt(number)}`,
    }));
    expect(faultyKeyword({ x: deep(60), allOf: different.slice(0, 100) })).toBeUndefined();
    expect(faultyKeyword({ x: deep(60), allOf: different })).toBe('$ref');
  });

  test('may have a chain of references up to the maximum depth', () => {
    const chain = (length: number, link: (next: object) => object) => {
      const links = Array.from({ length }, (_, at) => link({ $ref: `#/$defs/d${at + 1}` }));
      const $defs = Object.fromEntries([...links, {}].map((place, at) => [`d${at}`, place]));
      return { $ref: '#/$defs/d0', $defs };
    };
    const list = (items: object) => ({ type: 'array', items });
    expect(faultyKeyword(chain(490, list))).toBeUndefined();
    expect(faultyKeyword(chain(510, list))).toBe('$ref');
    // A few references with many levels between them count the same.
    const deepList = (next: object) => Array.from({ length: 40 }).reduce<object>(list, next);
    expect(faultyKeyword(chain(20, deepList))).toBeUndefined();
    expect(faultyKeyword(chain(30, deepList))).toBe('$ref');
  });

  test('may have a chain of references to an `$id` up to the maximum depth', () => {
    const chain = (length: number, copies: number) => {
      const link = (at: number) => ({
        $id: `d${at}`,
        type: 'array',
        items: { $ref: `d${at + 1}` },
      });
      const places = Array.from({ length }, (_, at) =>
        Array.from({ length: copies }, () => link(at)),
      );
      return { $ref: 'd0', anyOf: [...places.flat(), { $id: `d${length}` }] };
    };
    expect(faultyKeyword(chain(490, 1))).toBeUndefined();
    expect(faultyKeyword(chain(510, 1))).toBe('$ref');
    expect(faultyKeyword(chain(490, 2))).toBeUndefined();
    expect(faultyKeyword(chain(510, 2))).toBe('$ref');
  });

  test('may have several subschemas with one `$id`, and the deepest one counts', () => {
    const tree = { $id: 'tree', properties: { n: { type: 'array', items: { $ref: 'tree' } } } };
    const trees = Array.from({ length: 200 }, () => structuredClone(tree));
    expect(faultyKeyword({ anyOf: trees })).toBeUndefined();
    // Two subschemas have each `$id`, and only the last of them continues the chain.
    const links = Array.from({ length: 510 }, (_, at) => [
      { $id: `d${at}` },
      { $id: `d${at}`, items: { items: { $ref: `d${at + 1}` } } },
    ]);
    expect(faultyKeyword({ $ref: 'd0', anyOf: [...links.flat(), { $id: 'd510' }] })).toBe('$ref');
  });

  test('may have any number of independent definitions', () => {
    const place = (at: number) => ({
      type: 'object',
      properties: { a: { anyOf: [{ const: at }] } },
    });
    const $defs = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, at) => [`d${at}`, place(at)]),
    );
    const anyOf = Object.keys($defs).map((name) => ({ $ref: `#/$defs/${name}` }));
    expect(faultyKeyword({ anyOf, $defs })).toBeUndefined();
  });

  test('may have thousands of subschemas with an `$id`, within a limit of steps', () => {
    const named = (count: number) => {
      const places = Array.from({ length: count }, (_, at) => ({ $id: `d${at}`, type: 'array' }));
      return { anyOf: [...places, ...places.map(({ $id }) => ({ $ref: $id }))] };
    };
    expect(faultyKeyword(named(10_000))).toBeUndefined();
    expect(faultyKeyword(named(10_001))).toBe('$ref');
    const copies = Array.from({ length: 10_001 }, () => ({ $id: 'same' }));
    expect(faultyKeyword({ anyOf: copies })).toBeUndefined();
    expect(faultyKeyword({ anyOf: copies, not: { $ref: 'same' } })).toBe('$ref');
  });

  test('is checked once, even if several references lead to one target', () => {
    const patterns = Array.from({ length: 200 }, () => ({ pattern: 'a' }));
    const properties = { a: { anyOf: patterns }, b: { items: [{ anyOf: patterns.slice(0, 50) }] } };
    const references = ['#/properties/a', '#/properties/b', '#/properties/b/items/0', '#/not'];
    const allOf = references.map((reference) => ({ $ref: reference }));
    expect(faultyKeyword({ properties, allOf, not: {} })).toBeUndefined();
    const elsewhere = { Foo: { properties: { bar: { anyOf: patterns } } } };
    const inner = ['#/schemas/Foo', '#/schemas/Foo/properties/bar'].map(($ref) => ({ $ref }));
    expect(faultyKeyword({ allOf: inner, schemas: elsewhere })).toBeUndefined();
  });

  test('may have any number of definitions that lead to a cycle', () => {
    const list = { anyOf: [{ type: 'array', items: { $ref: '#/$defs/list' } }, { type: 'null' }] };
    const user = { type: 'object', properties: { v: { anyOf: [{ $ref: '#/$defs/list' }] } } };
    const users = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`d${at}`, user]));
    const anyOf = Object.keys(users).map((name) => ({ $ref: `#/$defs/${name}` }));
    expect(faultyKeyword({ anyOf, $defs: { ...users, list } })).toBeUndefined();
  });

  test('of any shape is checked without an exception', () => {
    const names = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      '$ref',
      '$id',
      'required',
      'enum',
      'x',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(names, value), (schema) => {
        expect(['string', 'undefined']).toContain(typeof faultyKeyword(schema));
      }),
    );
  });
});
