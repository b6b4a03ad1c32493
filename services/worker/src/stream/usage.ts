import type { Usage } from '@sluice/contracts';
import type { RuntimeUsage } from '../dialect/read-chunk.ts';

/** What was seen of an answer, from which a runtime's silence is filled in. */
export interface ObservedAnswer {
  /** Chunks that carried something: about one a token. */
  readonly chunks: number;
  readonly reasoningCharacters: number;
  readonly characters: number;
  /** Counted by the runtime's tokenizer, or estimated. */
  readonly promptTokens: number;
  /** False where organizations share a cache: then what was cached says something about others. */
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
 * Most runtimes count reasoning among the output without saying how much, and some versions of vLLM and SGLang write 0
 * where they have not counted it: its share of the text tells.
 */
function reasoningShare(
  completionTokens: number,
  { reasoningCharacters, characters }: ObservedAnswer,
): number {
  if (reasoningCharacters === 0) return 0;
  return Math.round((completionTokens * reasoningCharacters) / characters);
}
