/** Chooses the organization of each admission. */

/** Length of the drawn order, which is then repeated. */
const DRAWS = 1 << 16;

export const organizationName = (index: number): string => `bench-${index}`;

/**
 * Draws the order in which organizations send requests. By Zipf's law, the first one sends twice as many as the second
 * and a hundred times as many as the hundredth.
 */
export function drawOrganizations(count: number, random: () => number): Uint32Array {
  const cumulated = new Float64Array(count);
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    sum += 1 / (index + 1);
    cumulated[index] = sum;
  }
  return Uint32Array.from({ length: DRAWS }, () => firstAtLeast(cumulated, random() * sum));
}

function firstAtLeast(cumulated: Float64Array, value: number): number {
  let low = 0;
  let high = cumulated.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulated[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
