import type { JobHeader } from '@sluice/contracts';
import { AttemptFailure } from '../attempt/attempt-failure.ts';

export interface OutputBound {
  /** Maximum number of tokens to generate. If undefined, the runtime decides. */
  readonly bound: number | undefined;
  /** The length of the prompt, if it was counted. */
  readonly promptTokens: number | undefined;
}

type BoundedHeader = Pick<
  JobHeader,
  'max_output_tokens' | 'output_bound_requested' | 'context_length'
>;

/**
 * Whether a request may exceed the context. A byte of text becomes at most one token. If a request fits even with one
 * token for each byte, its tokens need not be counted.
 */
export function mayExceedContext(
  { max_output_tokens: bound, context_length: context }: BoundedHeader,
  bodyBytes: number,
): boolean {
  return context !== undefined && bodyBytes + (bound ?? 1) > context;
}

/**
 * Decides how many tokens may be generated. If the client asked for a bound, the request is refused unless the prompt
 * and the bound fit into the context together. A default bound is reduced to the rest of the context. The prompt is
 * counted only if its bytes do not already show that everything fits.
 */
export async function decideOutputBound(
  header: BoundedHeader,
  { bodyBytes }: { readonly bodyBytes: number },
  countPrompt: () => Promise<number | undefined>,
): Promise<OutputBound> {
  const {
    max_output_tokens: bound,
    context_length: context,
    output_bound_requested: requested,
  } = header;
  const needed = requested ? (bound ?? 1) : 1;
  if (context === undefined || !mayExceedContext(header, bodyBytes)) {
    return { bound, promptTokens: undefined };
  }
  const promptTokens = await countPrompt();
  // If the prompt cannot be counted, the runtime itself refuses a request that does not fit.
  if (promptTokens === undefined) return { bound, promptTokens };
  if (promptTokens + needed > context) {
    throw new AttemptFailure('context_length_exceeded', { retryable: false });
  }
  const left = context - promptTokens;
  return { bound: requested ? bound : Math.min(bound ?? left, left), promptTokens };
}
