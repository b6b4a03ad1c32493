import { MOST_COSTS, type LedgerCall } from '../domain/ledger.ts';

/** Organizations that one call of the script decides for. More would save little, and all wait for the last. */
export const MOST_TOGETHER = 16;

/**
 * What each call of the script decides, in order: so many organizations, each once, and, unless a single one has
 * more, so many costs.
 */
export function divideCalls(
  calls: readonly LedgerCall[],
  mostTogether = MOST_TOGETHER,
): LedgerCall[][] {
  const parts: LedgerCall[][] = [];
  let part: LedgerCall[] = [];
  let costs = 0;
  for (const call of calls) {
    costs += call.costs.length;
    const isFull = part.length === mostTogether || costs > MOST_COSTS;
    if (parts.length === 0 || isFull || holds(part, call)) {
      part = [];
      parts.push(part);
      costs = call.costs.length;
    }
    part.push(call);
  }
  return parts;
}

/** Twice in one call, an organization would be decided twice from the same state. */
function holds(part: readonly LedgerCall[], { organization }: LedgerCall): boolean {
  return part.some((other) => other.organization === organization);
}
