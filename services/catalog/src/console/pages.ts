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

/** One page of items that are in the order of their keys. */
export function pageOf<Item>(
  items: readonly Item[],
  { after, limit }: PageRequest,
  keyOf: (item: Item) => string,
): Page<Item> {
  const size = limit === 0 ? MAX_PAGE : Math.min(limit, MAX_PAGE);
  const start = after === '' ? 0 : items.findIndex((item) => compareIds(keyOf(item), after) > 0);
  const page = start === -1 ? [] : items.slice(start, start + size);
  const last = page.at(-1);
  const isLastPage = start === -1 || start + size >= items.length;
  return {
    items: page,
    total: items.length,
    nextAfter: last === undefined || isLastPage ? '' : keyOf(last),
  };
}

export function sortedBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Item[] {
  return Array.from(items).toSorted((one, other) => compareIds(keyOf(one), keyOf(other)));
}

/** Whether one of the texts contains the searched one, in any case. An empty search finds everything. */
export function matches(search: string, ...texts: readonly (string | null | undefined)[]): boolean {
  const wanted = search.trim().toLowerCase();
  return wanted === '' || texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}

const DIGITS = 14;

/** A key by which newer items come first. The id tells apart those of the same time. */
export function newestFirstKey({ id, created_at_ms: at }: { id: string; created_at_ms: number }) {
  return `${String(10 ** DIGITS - at).padStart(DIGITS + 1, '0')}-${id}`;
}
