/** What tokenizers make of most texts. */
const TOKENS_PER_BYTE = 0.25;

/** How many tokens a prompt is likely to have, for where nobody has counted them. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes * TOKENS_PER_BYTE);
}
