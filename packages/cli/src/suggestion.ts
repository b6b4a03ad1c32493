/** At most this part of the letters may differ, so that `get` is not suggested for `up`. */
const MOST_DIFFERENT = 0.4;

/** The candidate that was probably meant, as `; did you mean 'keys'?`, or an empty text. */
export function suggestion(given: string, candidates: readonly string[]): string {
  const [nearest] = candidates
    .map((candidate) => ({ candidate, distance: distanceBetween(given, candidate) }))
    .filter(({ candidate, distance }) => {
      const letters = Math.max(given.length, candidate.length);
      return candidate.startsWith(given) || distance <= Math.max(1, letters * MOST_DIFFERENT);
    })
    .toSorted((one, other) => one.distance - other.distance);
  return nearest === undefined || given === '' ? '' : `; did you mean '${nearest.candidate}'?`;
}

/**
 * The optimal string alignment distance: how many letters are inserted, deleted, replaced or swapped with their
 * neighbour (https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance).
 */
function distanceBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
