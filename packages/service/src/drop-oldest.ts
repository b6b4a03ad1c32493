const SHARE = 1 / 32;

/**
 * Keeps to a bound. The first of a full map go together, a share of them all: finding the first costs as much as was
 * removed before it, so it is not looked for at each addition.
 */
export function dropOldest(entries: Map<unknown, unknown>, most: number): void {
  if (entries.size <= most) return;
  const kept = most - Math.floor(most * SHARE);
  for (const key of entries.keys()) {
    entries.delete(key);
    if (entries.size <= kept) return;
  }
}
