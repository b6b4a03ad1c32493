import { compareIds } from '../model/entry-kinds.ts';

export interface PageRequest {
  readonly after: string;
  readonly limit: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly nextAfter: string;
}

const MAX_PAGE = 200;

/**
 * Returns the items after the key `after`. The items must be sorted by their keys. `nextAfter` is the `after` of the
 * next page, and empty at the end.
 */
export function pageOf<Item>(
  items: readonly Item[],
  { after, limit }: PageRequest,
  keyOf: (item: Item) => string,
): Page<Item> {
  const size = limit === 0 ? MAX_PAGE : Math.min(limit, MAX_PAGE);
  const start = after === '' ? 0 : items.findIndex((item) => compareIds(keyOf(item), after) > 0);
  const total = items.length;
  if (start === -1) return { items: [], total, nextAfter: '' };
  const page = items.slice(start, start + size);
  const last = page.at(-1);
  const isLastPage = start + size >= total;
  return { items: page, total, nextAfter: last === undefined || isLastPage ? '' : keyOf(last) };
}

export function sortedBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Item[] {
  // With ten thousand items, making the keys for each comparison would take most of the time.
  return Array.from(items, (item) => ({ item, key: keyOf(item) }))
    .toSorted((one, other) => compareIds(one.key, other.key))
    .map(({ item }) => item);
}

/** Whether one of the texts contains the searched text; case is ignored. An empty search finds everything. */
export function matches(search: string, ...texts: readonly (string | null | undefined)[]): boolean {
  const wanted = search.trim().toLowerCase();
  return wanted === '' || texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}

/** Larger than every time in milliseconds until the year 5138. */
const END_OF_TIME_MS = 10 ** 14;
const DIGITS = String(END_OF_TIME_MS).length;

/** A sort key that puts newer items first. It ends with the id, so that items of the same time have different keys. */
export function newestFirstKey({ id, created_at_ms: at }: { id: string; created_at_ms: number }) {
  return `${String(END_OF_TIME_MS - at).padStart(DIGITS, '0')}-${id}`;
}
