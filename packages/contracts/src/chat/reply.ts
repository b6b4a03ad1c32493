import * as z from 'zod';
import { FINISH_REASONS } from '../frame-bodies.ts';

const count = z.int().min(0);
const FinishReason = z.enum(FINISH_REASONS);

export const Usage = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.strictObject({ cached_tokens: count }),
  completion_tokens_details: z.strictObject({ reasoning_tokens: count }),
});
export type Usage = z.infer<typeof Usage>;

const ReplyToolCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string(),
    /** JSON as text. */
    arguments: z.string(),
  }),
});

const ReplyMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z.string().nullable(),
  refusal: z.null(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(ReplyToolCall).min(1).optional(),
});

/** The whole reply to a request that does not stream. */
export const ChatCompletion = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: count,
  model: z.string(),
  choices: z
    .array(
      z.strictObject({
        index: count,
        message: ReplyMessage,
        logprobs: z.null(),
        finish_reason: FinishReason,
      }),
    )
    .length(1),
  usage: Usage,
});
export type ChatCompletion = z.infer<typeof ChatCompletion>;

/** The first fragment of an index has id, type and name. Later fragments have only pieces of the arguments. */
const ToolCallFragment = z.strictObject({
  index: count,
  id: z.string().optional(),
  type: z.literal('function').optional(),
  function: z
    .strictObject({ name: z.string().optional(), arguments: z.string().optional() })
    .optional(),
});

const Delta = z.strictObject({
  role: z.literal('assistant').optional(),
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(ToolCallFragment).optional(),
});

/** One event of a streamed reply. */
export const ChatCompletionChunk = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: count,
  model: z.string(),
  /** Empty only in the usage chunk. */
  choices: z
    .array(z.strictObject({ index: count, delta: Delta, finish_reason: FinishReason.nullable() }))
    .max(1),
  usage: Usage.nullable(),
  /** Random padding. Absent if the client switched it off. */
  obfuscation: z.string().optional(),
});
export type ChatCompletionChunk = z.infer<typeof ChatCompletionChunk>;
