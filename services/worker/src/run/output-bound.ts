import type { JobHeader } from '@sluice/contracts';
import { AttemptFailure } from './attempt-failure.ts';

export interface OutputBound {
  /** Most tokens to generate; undefined leaves it to the runtime. */
  readonly bound: number | undefined;
  /** The prompt's length, where it had to be counted. */
  readonly promptTokens: number | undefined;
}

type BoundedHeader = Pick<
  JobHeader,
  'max_output_tokens' | 'output_bound_requested' | 'context_length'
>;

/** Whether its bytes do not show that a request fits into the context: no tokenizer makes more tokens than that of it. */
export function mayExceedContext(
  { max_output_tokens: bound, context_length: context }: BoundedHeader,
  bodyBytes: number,
): boolean {
  return context !== undefined && bodyBytes + (bound ?? 1) > context;
}

/**
 * Decides how much may be generated. A bound that the client asked for must fit into the context beside the prompt,
 * or the request is refused; a default is cut to what is left. The prompt is counted only when its bytes do not
 * already show that everything fits.
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
  // Without a tokenizer to ask, the runtime itself refuses what does not fit.
  if (promptTokens === undefined) return { bound, promptTokens };
  if (promptTokens + needed > context) {
    throw new AttemptFailure('context_length_exceeded', { retryable: false });
  }
  const left = context - promptTokens;
  return { bound: requested ? bound : Math.min(bound ?? left, left), promptTokens };
}
