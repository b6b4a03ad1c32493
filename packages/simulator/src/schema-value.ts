import {
  isSchema,
  isSchemaObject,
  mergeSchemas,
  type SchemaObject,
  UnsatisfiableSchema,
} from './merge-schemas.ts';
import { phrase } from './prose.ts';
import type { SeededRandom } from './random.ts';
import { numberForSchema } from './schema-number.ts';
import { stringForSchema } from './schema-string.ts';
import { type JsonSchema, schemaValidator } from './schema-validator.ts';

const attempts = 32;
/** Values that are nested deeper than this contain only what the schema requires, so that the document stays small. */
const plainBelowDepth = 3;
// A schema that needs more than this is refused. A recursive schema would otherwise never end.
const deepest = 48;
const mostValues = 20_000;
/** The keywords that show the type of a schema without `type`. */
const typeKeywords: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  [
    'object',
    ['properties', 'required', 'additionalProperties', 'minProperties', 'patternProperties'],
  ],
  ['array', ['items', 'prefixItems', 'minItems', 'uniqueItems', 'contains']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
const schemasIn = (value: unknown): JsonSchema[] =>
  Array.isArray(value) ? value.filter(isSchema) : [];
const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/** Makes one value. With `plain` it leaves out everything that the schema does not require. */
class ValueMaker {
  readonly #root: JsonSchema;
  readonly #random: SeededRandom;
  readonly #plain: boolean;
  #values = 0;

  constructor(root: JsonSchema, random: SeededRandom, plain: boolean) {
    this.#root = root;
    this.#random = random;
    this.#plain = plain;
  }

  make(schema: JsonSchema, depth = 0): unknown {
    this.#values += 1;
    if (depth > deepest || this.#values > mostValues) {
      throw new UnsatisfiableSchema('the schema asks for too many values');
    }
    const flat = this.#flatten(schema, depth);
    if ('const' in flat) return flat['const'];
    if (Array.isArray(flat['enum'])) {
      const choices: readonly unknown[] = flat['enum'];
      if (choices.length === 0) throw new UnsatisfiableSchema('no value is allowed');
      return this.#random.pick(choices);
    }
    switch (this.#typeOf(flat, depth)) {
      case 'object':
        return this.#object(flat, depth);
      case 'array':
        return this.#array(flat, depth);
      case 'string':
        return stringForSchema(flat, this.#random);
      case 'integer':
        return numberForSchema(flat, this.#random, 'integer');
      case 'number':
        return numberForSchema(flat, this.#random, 'number');
      case 'boolean':
        return this.#random.chance(0.5);
      case 'null':
        return null;
      default:
        return phrase(this.#random);
    }
  }

  #isPlainAt(depth: number): boolean {
    return this.#plain || depth > plainBelowDepth;
  }

  /** Resolves references and chooses branches until only keywords about the value are left. */
  #flatten(schema: JsonSchema, depth: number, references = 0): SchemaObject {
    if (schema === true) return {};
    if (schema === false) throw new UnsatisfiableSchema('no value is allowed');
    const { $ref, allOf, anyOf, oneOf, if: condition, then, else: otherwise, ...own } = schema;
    const further: JsonSchema[] = schemasIn(allOf);
    if (typeof $ref === 'string') {
      if (references > deepest) throw new UnsatisfiableSchema('a reference leads to itself');
      further.unshift(this.#resolve($ref));
    }
    for (const branches of [schemasIn(anyOf), schemasIn(oneOf)]) {
      if (branches.length > 0) further.push(this.#branch(branches, depth));
    }
    if (isSchema(condition)) {
      const branch = this.#random.chance(0.5) ? [condition, then] : [otherwise];
      further.push(...branch.filter(isSchema));
    }
    let flat: SchemaObject = own;
    for (const one of further) {
      flat = mergeSchemas(flat, this.#flatten(one, depth, references + 1));
    }
    // Merging two schemas can add alternatives again.
    return 'allOf' in flat ? this.#flatten(flat, depth, references + 1) : flat;
  }

  #branch(branches: readonly JsonSchema[], depth: number): JsonSchema {
    if (!this.#isPlainAt(depth)) return this.#random.pick(branches);
    // At this depth, prefer simple branches: references and objects can recurse without end.
    const simple = branches.filter(
      (branch) =>
        typeof branch === 'object' &&
        !('$ref' in branch) &&
        branch['type'] !== 'object' &&
        branch['type'] !== 'array',
    );
    return this.#random.pick(simple.length > 0 ? simple : branches);
  }

  #resolve(reference: string): JsonSchema {
    if (!reference.startsWith('#')) throw new UnsatisfiableSchema('a reference is not local');
    let target: unknown = this.#root;
    for (const step of decodeURIComponent(reference).split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(target)) target = (target as unknown[])[Number(name)];
      else if (isSchemaObject(target) && Object.hasOwn(target, name)) target = target[name];
      else target = undefined;
    }
    if (!isSchema(target)) throw new UnsatisfiableSchema('a reference leads nowhere');
    return target;
  }

  #typeOf(schema: SchemaObject, depth: number): unknown {
    const { type } = schema;
    if (Array.isArray(type)) {
      const types: readonly unknown[] = type;
      return this.#isPlainAt(depth) && types.includes('null') ? 'null' : this.#random.pick(types);
    }
    if (type !== undefined) return type;
    return typeKeywords.find(([, keywords]) => keywords.some((keyword) => keyword in schema))?.[0];
  }

  #object(schema: SchemaObject, depth: number): unknown {
    const properties = isSchemaObject(schema['properties']) ? schema['properties'] : {};
    const names = this.#propertyNames(schema, Object.keys(properties), depth);
    const entries = names.map((name): [string, unknown] => [
      name,
      this.make(this.#propertySchema(schema, properties, name), depth + 1),
    ]);
    // An assignment to the property `__proto__` would set the prototype instead.
    return Object.fromEntries(entries);
  }

  #propertyNames(schema: SchemaObject, known: readonly string[], depth: number): string[] {
    const wanted = new Set(namesIn(schema['required']));
    const least = numberOr(schema['minProperties'], 0);
    const most = numberOr(schema['maxProperties'], Number.POSITIVE_INFINITY);
    for (const name of known) {
      const isNeeded = wanted.size < least;
      const isChosen = !this.#isPlainAt(depth) && this.#random.chance(0.7);
      if ((isNeeded || isChosen) && wanted.size < most) wanted.add(name);
    }
    const dependents = isSchemaObject(schema['dependentRequired'])
      ? schema['dependentRequired']
      : {};
    // The loop also visits names that it adds, so that their own dependents are added too.
    for (const name of wanted) for (const other of namesIn(dependents[name])) wanted.add(other);
    for (let attempt = 0; wanted.size < least && attempt < attempts; attempt += 1) {
      wanted.add(this.#additionalName(schema));
    }
    const order = known.filter((name) => wanted.has(name));
    return [...order, ...[...wanted].filter((name) => !known.includes(name))];
  }

  #additionalName(schema: SchemaObject): string {
    const patterns = isSchemaObject(schema['patternProperties']) ? schema['patternProperties'] : {};
    const [pattern] = Object.keys(patterns);
    const names = isSchemaObject(schema['propertyNames']) ? schema['propertyNames'] : {};
    const wanted = pattern === undefined ? names : { ...names, pattern };
    // This depth is close to the limit, because a name is a simple value.
    const name = this.make({ type: 'string', ...wanted }, deepest - 2);
    return String(name);
  }

  #propertySchema(schema: SchemaObject, properties: SchemaObject, name: string): JsonSchema {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isSchema(known)) return known;
    const patterns = isSchemaObject(schema['patternProperties']) ? schema['patternProperties'] : {};
    const [, matching] =
      Object.entries(patterns).find(([pattern]) => new RegExp(pattern, 'u').test(name)) ?? [];
    if (isSchema(matching)) return matching;
    const { additionalProperties } = schema;
    return isSchema(additionalProperties) ? additionalProperties : { type: 'string' };
  }

  #array(schema: SchemaObject, depth: number): unknown {
    const { items, prefixItems, additionalItems, contains } = schema;
    const tuple = schemasIn(Array.isArray(items) ? items : prefixItems);
    const rest = Array.isArray(items) ? additionalItems : items;
    // Without a schema for further items, a tuple gets none, and another array gets strings.
    const usual: JsonSchema = tuple.length > 0 ? false : { type: 'string' };
    const furtherItems = isSchema(rest) ? rest : usual;
    const schemas = Array.from(
      { length: this.#itemCount(schema, tuple.length, furtherItems, depth) },
      (_, index) => tuple[index] ?? furtherItems,
    );
    if (isSchema(contains)) {
      const wanted = numberOr(schema['minContains'], 1);
      if (wanted > mostValues) {
        throw new UnsatisfiableSchema(`minContains is greater than ${mostValues}`);
      }
      for (let index = 0; index < wanted; index += 1) {
        schemas[index] = { allOf: [schemas[index] ?? furtherItems, contains] };
      }
    }
    const made: unknown[] = [];
    const unique = schema['uniqueItems'] === true;
    for (const item of schemas) made.push(this.#item(item, made, unique, depth));
    return made;
  }

  #itemCount(
    schema: SchemaObject,
    tupleLength: number,
    furtherItems: JsonSchema,
    depth: number,
  ): number {
    const least = numberOr(schema['minItems'], 0);
    const most = numberOr(schema['maxItems'], least + 3);
    if (least > most) throw new UnsatisfiableSchema('minItems is greater than maxItems');
    if (least > mostValues) {
      throw new UnsatisfiableSchema(`minItems is greater than ${mostValues}`);
    }
    if (furtherItems === false) return Math.min(most, Math.max(least, tupleLength));
    if (this.#isPlainAt(depth)) return least;
    const enough = Math.min(most, Math.max(least, tupleLength, 1));
    return this.#random.integer(enough, Math.min(most, enough + 2));
  }

  #item(
    schema: JsonSchema,
    madeBefore: readonly unknown[],
    unique: boolean,
    depth: number,
  ): unknown {
    const taken = unique ? new Set(madeBefore.map((other) => JSON.stringify(other))) : undefined;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const value = this.make(schema, depth + 1);
      if (taken === undefined || !taken.has(JSON.stringify(value))) return value;
    }
    throw new UnsatisfiableSchema('items that differ were not found');
  }
}

/** A value that fits the schema, checked by the validator. It depends only on the schema and the random numbers. */
export function valueForSchema(schema: JsonSchema, random: SeededRandom): unknown {
  const validator = schemaValidator(schema);
  // The second half of the attempts leaves out what the schema does not require.
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const plain = attempt >= attempts / 2;
    try {
      const value = new ValueMaker(schema, random, plain).make(schema);
      if (validator.accepts(value)) return value;
    } catch (error) {
      if (!(error instanceof UnsatisfiableSchema)) throw error;
    }
  }
  throw new UnsatisfiableSchema('no value was found that this schema accepts');
}
