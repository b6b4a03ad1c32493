import { type SchemaObject, UnsatisfiableSchema } from './merge-schemas.ts';
import type { SeededRandom } from './random.ts';

// When a schema has only one bound, values stay within this distance of it.
const usualRange = 100;
const attempts = 50;

interface Range {
  readonly least: number;
  readonly most: number;
}

function allowedRange(schema: SchemaObject): Range {
  const lower: number[] = [];
  const upper: number[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === 'number') lower.push(minimum);
  if (typeof maximum === 'number') upper.push(maximum);
  if (typeof exclusiveMinimum === 'number') lower.push(exclusiveMinimum);
  if (typeof exclusiveMaximum === 'number') upper.push(exclusiveMaximum);
  if (lower.length > 0) {
    const least = Math.max(...lower);
    return { least, most: upper.length > 0 ? Math.min(...upper) : least + usualRange };
  }
  const most = upper.length > 0 ? Math.min(...upper) : usualRange;
  return { least: Math.min(0, most - usualRange), most };
}

const isAllowed = (value: number, schema: SchemaObject, { least, most }: Range): boolean =>
  value >= least &&
  value <= most &&
  value !== schema['exclusiveMinimum'] &&
  value !== schema['exclusiveMaximum'];

/** A number that fits this schema. */
export function numberForSchema(
  schema: SchemaObject,
  random: SeededRandom,
  kind: 'integer' | 'number',
): number {
  const range = allowedRange(schema);
  const { multipleOf } = schema;
  const usualStep = kind === 'integer' ? 1 : 0.01;
  const step = typeof multipleOf === 'number' ? multipleOf : usualStep;
  const first = Math.ceil(range.least / step);
  const last = Math.floor(range.most / step);
  const usefulAttempts = first <= last ? attempts : 0;
  for (let attempt = 0; attempt < usefulAttempts; attempt += 1) {
    // Steps such as 0.01 have no exact binary representation, so the product is rounded.
    const value = Number((random.integer(first, last) * step).toPrecision(12));
    const fits = kind === 'number' || Number.isInteger(value);
    if (fits && isAllowed(value, schema, range)) return value;
  }
  // The range may lie between two steps.
  const between = range.least + (range.most - range.least) * (0.25 + random.fraction() / 2);
  if (kind === 'number' && multipleOf === undefined && isAllowed(between, schema, range)) {
    return between;
  }
  throw new UnsatisfiableSchema('no number is allowed');
}
