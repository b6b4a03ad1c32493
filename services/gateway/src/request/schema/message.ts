import * as z from 'zod';
import { absentIfEmpty, absentIfNull, isJsonObject, mustBeOneOf, oneOf, text } from './fields.ts';

const TextPart = z.object(
  {
    type: z.literal('text', { error: `must be 'text': only text input is supported` }),
    text: text(),
  },
  { error: 'must be an object' },
);
export type TextPart = z.infer<typeof TextPart>;

const Content = z.union([z.string(), z.array(TextPart)], {
  error: 'must be a string or an array of text parts',
});

/** Fields that clients accumulate or parse into a call (`index`, `parsed_arguments`) are dropped. */
const ToolCall = z.object(
  {
    id: text(),
    type: oneOf(['function']),
    function: z.object({ name: text(), arguments: text() }, { error: 'must be an object' }),
  },
  { error: 'must be an object' },
);
export type ToolCall = z.infer<typeof ToolCall>;

const ToolCalls = z.array(ToolCall, { error: 'must be an array of tool calls' });

/** A field of a received message that clients send back. It is accepted only if it is empty. */
function droppedIfEmpty() {
  return z
    .unknown()
    .refine(isNullOrEmpty, { error: 'is not supported', params: { unsupported: true } })
    .transform(() => undefined)
    .optional()
    .describe('Accepted when null or empty, and dropped.');
}

/** A field that a client library adds to a received message. */
function dropped() {
  return z
    .unknown()
    .transform(() => undefined)
    .optional()
    .describe('Accepted, and dropped.');
}

function isNullOrEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

const Name = absentIfNull(text());

const PromptMessage = z.strictObject({
  role: z.enum(['system', 'developer', 'user']),
  content: Content,
  name: Name,
});

export const AssistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: Content.nullable().optional(),
  reasoning_content: absentIfNull(text()),
  tool_calls: absentIfEmpty(ToolCalls),
  name: Name,
  refusal: droppedIfEmpty(),
  audio: droppedIfEmpty(),
  function_call: droppedIfEmpty(),
  annotations: droppedIfEmpty(),
  /** huggingface_hub sends back every field of its message type. */
  reasoning: droppedIfEmpty(),
  tool_call_id: droppedIfEmpty(),
  /** Structured-output clients add the parsed content to the message that they send back. */
  parsed: dropped(),
  /** litellm adds fields of a reply that it does not know, such as `refusal`. */
  provider_specific_fields: dropped(),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

const ToolMessage = z.strictObject({
  role: z.literal('tool'),
  tool_call_id: text(),
  content: Content,
  name: Name,
});

export const Message = z.discriminatedUnion(
  'role',
  [PromptMessage, AssistantMessage, ToolMessage],
  {
    error: (issue) =>
      isJsonObject(issue.input)
        ? mustBeOneOf(['system', 'developer', 'user', 'assistant', 'tool'])
        : 'must be an object',
  },
);
export type Message = z.infer<typeof Message>;
