import type { Usage } from '@sluice/contracts';
import type { RuntimeUsage } from './read-chunk.ts';

/** What the worker counted in a reply. It is used instead of numbers that the runtime does not report. */
export interface ObservedAnswer {
  /** Chunks with output: about one for each token. */
  readonly chunks: number;
  readonly reasoningCharacters: number;
  readonly characters: number;
  /** Length of the prompt: counted by the tokenizer of the runtime, or estimated. */
  readonly promptTokens: number;
  /**
   * Whether the client may see how many tokens were cached. The number could reveal prompts of other organizations,
   * unless the runtime separates their caches. An operator may allow it anyway.
   */
  readonly reportCached: boolean;
}

export function wireUsage(reported: RuntimeUsage | undefined, observed: ObservedAnswer): Usage {
  const promptTokens = reported?.promptTokens ?? observed.promptTokens;
  const completionTokens = reported?.completionTokens ?? observed.chunks;
  const cached = observed.reportCached ? (reported?.cachedTokens ?? 0) : 0;
  const counted = reported?.reasoningTokens ?? 0;
  const reasoning = counted > 0 ? counted : reasoningShare(completionTokens, observed);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: Math.min(cached, promptTokens) },
    completion_tokens_details: { reasoning_tokens: Math.min(reasoning, completionTokens) },
  };
}

/**
 * Estimates the reasoning tokens by the share of reasoning in the text. Most runtimes do not report their number, and
 * some versions of vLLM and SGLang report 0.
 */
function reasoningShare(
  completionTokens: number,
  { reasoningCharacters, characters }: ObservedAnswer,
): number {
  if (reasoningCharacters === 0) return 0;
  return Math.round((completionTokens * reasoningCharacters) / characters);
}
