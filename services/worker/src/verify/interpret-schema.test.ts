import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaTextOf } from '../dialects/schema-text.ts';
import type { JsonObject } from '../json/json.ts';
import { checkContent, preparedSchema } from './check-schema.ts';
import { compileSchema, type ContentValidator, type Draft } from './compile-schema.ts';
import { interpretSchema } from './interpret-schema.ts';
import { normalizeSchema } from './normalize-schema.ts';

const flat = (count: number, property: JsonObject) => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, property])),
  required: Array.from({ length: count }, (_, at) => `p${at}`),
  additionalProperties: false,
});

it('prepares and checks 5,000 flat properties within 300 ms of CPU time', () => {
  const schema = flat(5_000, { type: 'string', minLength: 1 });
  const reply = Object.fromEntries(Object.keys(schema.properties).map((name) => [name, 'a']));
  const right = JSON.stringify(reply);
  const wrong = JSON.stringify({ ...reply, p4999: 5 });
  const before = process.threadCpuUsage();
  const validator = preparedSchema(schemaTextOf(schema));
  expect([checkContent(validator, right), checkContent(validator, wrong)]).toEqual([
    'matches',
    'differs',
  ]);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(300);
});

/** The compiled and the interpreted validator of a schema; undefined if it is refused. */
function validatorsOf(schema: JsonObject, draft: Draft) {
  const body = normalizeSchema(schema);
  const made = (make: () => ContentValidator) => {
    try {
      return make();
    } catch {
      return undefined;
    }
  };
  return {
    compiled: made(() => compileSchema(structuredClone(body), { draft, characters: 0 })),
    interpreted: made(() => interpretSchema(structuredClone(body), draft)),
  };
}

const name = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<unknown>(null, true, 0, 1, 2, 2.5, -1, '', 'a', 'ab', 'zoë', '1');
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string');
const small = fc.integer({ min: 0, max: 3 });
const pattern = fc.constantFrom('^a', 'b$', '^\\p{L}*$', '^[a\\-z]+$');

/** A schema of a few keywords, each with a value of its type. */
const schemasWith = (draft: Draft, references: readonly string[]) =>
  fc.letrec<{ schema: JsonObject | boolean }>((tie) => {
    const one = tie('schema');
    const some = fc.array(one, { minLength: 1, maxLength: 2 });
    const byName = fc.dictionary(name, one, { minKeys: 1, maxKeys: 2 });
    const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      nullable: fc.boolean(),
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      const: value,
      properties: byName,
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: one,
      patternProperties: fc.dictionary(pattern, one, { maxKeys: 2 }),
      propertyNames: one,
      minProperties: small,
      maxProperties: small,
      items: draft === 'draft2020' ? one : fc.oneof(one, some),
      ...(draft === 'draft2020' ? { prefixItems: some } : {}),
      ...(draft === 'draft7'
        ? {}
        : {
            dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 })),
            dependentSchemas: byName,
          }),
      minItems: small,
      maxItems: small,
      uniqueItems: fc.boolean(),
      allOf: some,
      anyOf: some,
      oneOf: some,
      not: one,
      minimum: small,
      maximum: small,
      exclusiveMinimum: fc.oneof(small, fc.boolean()),
      exclusiveMaximum: fc.oneof(small, fc.boolean()),
      multipleOf: fc.constantFrom(1, 0.5, 2),
      minLength: small,
      maxLength: small,
      pattern,
      format: fc.constantFrom('email', 'date'),
      ...(references.length > 0 ? { $ref: fc.constantFrom(...references) } : {}),
    };
    const condition = fc
      .tuple(one, one, one)
      .map((parts) =>
        Object.fromEntries(['if', 'then', 'else'].map((key, at) => [key, parts[at]])),
      );
    const entries = Object.entries(keywords).map(([key, arbitrary]) =>
      fc.tuple(fc.constant(key), arbitrary),
    );
    const keyword = fc.oneof(...entries).map((entry) => Object.fromEntries([entry]));
    return {
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.record({ type }),
        fc
          .array(fc.oneof({ arbitrary: keyword, weight: 20 }, condition), { maxLength: 4 })
          .map((parts): JsonObject => Object.assign({}, ...parts) as JsonObject),
        fc.boolean(),
      ),
    };
  }).schema;
/** A value as it is parsed from a request or a reply. */
const asRead = <Read>(json: Read): Read => JSON.parse(JSON.stringify(json)) as Read;
/** Without circular references: on a schema that is only a circle, the two validators overflow at different values. */
const rootOf = (draft: Draft) =>
  fc
    .tuple(
      schemasWith(draft, ['#/$defs/a', '#/$defs/b']),
      fc.record({ a: schemasWith(draft, ['#/$defs/b']), b: schemasWith(draft, []) }),
    )
    .map(([schema, $defs]): JsonObject =>
      typeof schema === 'boolean' ? { not: { not: schema }, $defs } : { ...schema, $defs },
    );

/** A compiled validator throws for some replies, which are then interpreted. */
function verdictOf(validator: ContentValidator | undefined, reply: unknown) {
  try {
    return validator?.(reply);
  } catch {
    return 'throws';
  }
}

describe('the interpreter and the compiler', () => {
  it.each(['draft7', 'draft2019', 'draft2020'] as const)('agree on every reply, in %s', (draft) => {
    fc.assert(
      fc.property(
        rootOf(draft),
        fc.array(value, { minLength: 1, maxLength: 5 }),
        (schema, replies) => {
          const { compiled, interpreted } = validatorsOf(asRead(schema), draft);
          expect(interpreted === undefined).toBe(compiled === undefined);
          for (const reply of asRead(replies)) {
            const expected = verdictOf(compiled, reply);
            if (expected !== 'throws') expect(interpreted?.(reply)).toBe(expected);
          }
        },
      ),
      { numRuns: 500, endOnFailure: true },
    );
  });
});

it.each([
  [{ contains: { type: 'boolean' } }, [0, true], [0]],
  [{ items: { contains: { type: 'boolean' } } }, [[true]], [[true], []]],
  [{ properties: { constructor: { type: 'string' } } }, {}, { constructor: 1 }],
  [{ required: ['constructor'] }, { constructor: 1 }, {}],
  [{ enum: [{ constructor: {} }] }, { constructor: {} }, {}],
])('interprets %j', (schema, good, bad) => {
  const validate = interpretSchema(schema, 'draft2020');
  expect([validate(good), validate(bad)]).toEqual([true, false]);
});

it('interprets a recursive schema', () => {
  const tree = { type: 'object', properties: { next: { $ref: '#' }, leaf: { type: 'integer' } } };
  const validate = interpretSchema(tree, 'draft2020');
  expect(validate({ next: { next: { leaf: 1 } } })).toBe(true);
  expect(validate({ next: { next: { leaf: 'x' } } })).toBe(false);
});
