/** How the value of a field is laid out: the lowest three bits of its tag. */
export const WIRE_TYPE = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;

const LARGEST_FIELD = 15;

/** What comes before a field's value: its number and its type, in the one byte that the writer has for it. */
export function tagOf(field: number, type: keyof typeof WIRE_TYPE): number {
  if (field > LARGEST_FIELD) throw new RangeError(`field ${field} needs a tag of two bytes`);
  return (field << 3) | WIRE_TYPE[type];
}
