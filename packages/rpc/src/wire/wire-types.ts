/** How the value of a field is laid out: the lowest three bits of its tag. */
export const WIRE_TYPE = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;

/** What comes before a field's value: its number and its type. Up to number 15 it is one byte. */
export function tagOf(field: number, type: keyof typeof WIRE_TYPE): number {
  return (field << 3) | WIRE_TYPE[type];
}
