/** The same items in the same order, begun further on. */
export function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
