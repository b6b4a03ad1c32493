declare global {
  /** What Node knows and TypeScript does not yet: a number that is written as it was read. */
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** The shortest integer that a number cannot always hold has so many digits. */
const LONG_NUMBER = /\d{16}/;
/** Longer ones fit no runtime's integers, and are rounded: digits without end are no schema. */
const INTEGER = /^-?\d{16,20}$/;
/** An exact reading takes a microsecond or two for each value, in which nobody else is served: more are rounded. */
const MOST_VALUES = 5_000;

/** Whether reading the text again, exactly, would change something in this part of it, and is not too much work. */
export function isWorthExactReading(text: string, whole: unknown, part: unknown): boolean {
  return (
    LONG_NUMBER.test(text) &&
    holdsLongInteger(part) &&
    countValues(whole, MOST_VALUES) <= MOST_VALUES
  );
}

/** JSON whose integers of up to 20 digits are written again as they were read: what a number would change is raw. */
export function parseWithExactIntegers(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const literal = context?.source ?? '';
    return INTEGER.test(literal) ? JSON.rawJSON(literal) : value;
  });
}

function holdsLongInteger(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return fieldsOf(value).some(holdsLongInteger);
}

/** Gives up as soon as there are more than anybody asks for. */
function countValues(value: unknown, most: number): number {
  let count = 1;
  for (const field of fieldsOf(value)) {
    if (count > most) break;
    count += countValues(field, most - count);
  }
  return count;
}

function fieldsOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
