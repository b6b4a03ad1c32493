import { isJsonObject, type JsonObject } from './json.ts';

const BOUNDS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
]);
/** Just above it, the grammar of a range takes llama.cpp all memory and time there is. */
const FARTHEST_BOUND = 1e15;

/**
 * What holds a schema, without bounds of integers that llama.cpp cannot bear; answers are held to them by our own
 * check. They are mostly those of 64 bits, or of what a number of JavaScript holds, which generators write wherever
 * nobody has said anything. An integer with such a bound is looked for everywhere, for a reference may lead anywhere.
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
  if (!BOUNDS.has(name) || !isOfIntegers(schema)) return false;
  // An integer that no number holds is raw JSON.
  return typeof value === 'number' ? Math.abs(value) > FARTHEST_BOUND : JSON.isRawJSON(value);
}

function isOfIntegers({ type }: JsonObject): boolean {
  return type === 'integer' || (Array.isArray(type) && type.includes('integer'));
}
