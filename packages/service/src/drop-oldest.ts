const REMOVED_SHARE = 1 / 32;

/**
 * If a map has more than `max` entries, removes a share of them at once, the oldest first. V8 keeps removed entries in
 * the table of a map until it rehashes, so finding the first live entry after each addition would be slow
 * (https://github.com/v8/v8/blob/main/src/objects/ordered-hash-table.h).
 */
export function dropOldest(entries: Map<unknown, unknown>, max: number): void {
  if (entries.size <= max) return;
  const kept = max - Math.floor(max * REMOVED_SHARE);
  for (const key of entries.keys()) {
    entries.delete(key);
    if (entries.size <= kept) return;
  }
}
