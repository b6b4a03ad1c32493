/**
 * Rendezvous hashing: every caller sends an organization's admissions to the same available replica, so that they share
 * batches. If a replica becomes unavailable, only its organizations move to other replicas.
 */

/** FNV-1a, 32 bits, over the text's UTF-16 code units. */
export function hashText(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return hash >>> 0;
}

/** The candidate with the highest score for this key; undefined if there are no candidates. */
export function rendezvousChoice<Candidate extends { readonly hash: number }>(
  key: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  if (candidates.length <= 1) return candidates[0];
  const keyHash = hashText(key);
  let choice: Candidate | undefined;
  let highest = -1;
  for (const candidate of candidates) {
    const score = mix(keyHash ^ candidate.hash);
    if (score > highest) {
      highest = score;
      choice = candidate;
    }
  }
  return choice;
}

/**
 * Spreads every bit of the input over the whole output. Without it, similar names would get the same candidate. It is
 * the function `lowbias32` of https://github.com/skeeto/hash-prospector.
 */
function mix(input: number): number {
  let value = input;
  value = Math.imul(value ^ (value >>> 16), 0x7f_eb_35_2d);
  value = Math.imul(value ^ (value >>> 15), 0x84_6c_a6_8b);
  return (value ^ (value >>> 16)) >>> 0;
}
