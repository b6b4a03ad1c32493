import type { JsonSchema } from './schema-validator.ts';

export interface SchemaObject {
  readonly [keyword: string]: unknown;
}

/** The schema has no valid value, or none that this package can create. */
export class UnsatisfiableSchema extends Error {
  override readonly name = 'UnsatisfiableSchema';
}

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isSchemaObject(value);
}

const keepsGreater = new Set([
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
]);
const keepsSmaller = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
]);
const mergesByName = new Set(['properties', 'patternProperties', 'dependentRequired']);
const mergesAsSchema = new Set(['items', 'additionalProperties', 'propertyNames', 'contains']);

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

function commonTypes(left: unknown, right: unknown): unknown {
  const allowed = asList(right);
  const common = asList(left).flatMap((type) => {
    if (allowed.includes(type)) return [type];
    if (type === 'integer' && allowed.includes('number')) return ['integer'];
    return type === 'number' && allowed.includes('integer') ? ['integer'] : [];
  });
  if (common.length === 0) throw new UnsatisfiableSchema('types exclude each other');
  return common.length === 1 ? common[0] : common;
}

function commonValues(left: unknown, right: unknown): unknown[] {
  const allowed = new Set(asList(right).map((value) => JSON.stringify(value)));
  return asList(left).filter((value) => allowed.has(JSON.stringify(value)));
}

function mergeNamed(keyword: string, left: SchemaObject, right: SchemaObject): SchemaObject {
  const entries = new Map(Object.entries(left));
  for (const [name, value] of Object.entries(right)) {
    const before = entries.get(name);
    if (before === undefined) entries.set(name, value);
    else if (keyword === 'dependentRequired') {
      entries.set(name, [...asList(before), ...asList(value)]);
    } else entries.set(name, { allOf: [before, value] });
  }
  return Object.fromEntries(entries);
}

function mergeKeyword(keyword: string, left: unknown, right: unknown): unknown {
  if (keyword === 'type') return commonTypes(left, right);
  if (keyword === 'enum') return commonValues(left, right);
  if (keyword === 'required') return [...new Set([...asList(left), ...asList(right)])];
  if (typeof left === 'number' && typeof right === 'number') {
    if (keepsGreater.has(keyword)) return Math.max(left, right);
    if (keepsSmaller.has(keyword)) return Math.min(left, right);
  }
  if (mergesByName.has(keyword) && isSchemaObject(left) && isSchemaObject(right)) {
    return mergeNamed(keyword, left, right);
  }
  if (mergesAsSchema.has(keyword) && isSchema(left) && isSchema(right)) {
    if (left === false || right === false) return false;
    return { allOf: [left, right] };
  }
  // Two values that cannot be combined, such as two patterns. The validator later rejects values that violate `left`.
  return right;
}

/** Combines two schemas into one that requires both, as far as a single schema can express this. */
export function mergeSchemas(left: SchemaObject, right: SchemaObject): SchemaObject {
  const merged = new Map(Object.entries(left));
  for (const [keyword, value] of Object.entries(right)) {
    const before = merged.get(keyword);
    merged.set(keyword, before === undefined ? value : mergeKeyword(keyword, before, value));
  }
  return Object.fromEntries(merged);
}
