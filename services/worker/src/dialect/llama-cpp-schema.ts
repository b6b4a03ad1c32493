import { isJsonObject, type JsonObject } from '../json/json.ts';

const BOUNDS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
]);
/** Just above it, the grammar of a range takes llama.cpp all memory and time there is. */
const FARTHEST_BOUND = 1e15;
const GREATEST_COUNTS: ReadonlySet<string> = new Set(['maxLength', 'maxItems']);
/** Of more it reads the lowest 32 bits, which may be fewer than the least, or less than nothing. */
const LARGEST_COUNT = 2 ** 31 - 1;

/**
 * What holds a schema, without bounds of integers and greatest lengths that llama.cpp cannot bear. They are mostly
 * those of 64 bits, or of what a number of JavaScript holds, which generators write wherever nobody has said anything.
 * They are looked for everywhere, for a reference may lead anywhere.
 */
export function withoutFarBounds(holder: JsonObject): JsonObject {
  return holdsFarBound(holder) ? cutObject(holder) : holder;
}

function cutObject(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([name, field]) => !isFarBound(object, name, field));
  return Object.fromEntries(kept.map(([name, field]) => [name, cut(field)]));
}

function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cut);
  return isJsonObject(value) && !JSON.isRawJSON(value) ? cutObject(value) : value;
}

function holdsFarBound(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsFarBound);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([name, field]) => isFarBound(value, name, field) || holdsFarBound(field),
  );
}

function isFarBound(schema: JsonObject, name: string, value: unknown): boolean {
  if (GREATEST_COUNTS.has(name)) return isBeyond(value, LARGEST_COUNT);
  return BOUNDS.has(name) && isOfIntegers(schema) && isBeyond(value, FARTHEST_BOUND);
}

/** An integer that no number holds is raw JSON. */
function isBeyond(value: unknown, limit: number): boolean {
  return typeof value === 'number' ? Math.abs(value) > limit : JSON.isRawJSON(value);
}

function isOfIntegers({ type }: JsonObject): boolean {
  return type === 'integer' || (Array.isArray(type) && type.includes('integer'));
}
