import * as z from 'zod';
import { isSchema, isSchemaObject } from './merge-schemas.ts';
import { RefusedRequest } from './refusal.ts';
import type { JsonSchema } from './schema-validator.ts';

const jsonSchema = z.custom<JsonSchema>(isSchema, 'must be a JSON Schema');
const count = z.int().min(1);

/** Whether tool arguments are valid. vLLM parses them, and chat templates read the resulting object. */
function isJsonObjectText(text: string): boolean {
  try {
    return text === '' || isSchemaObject(JSON.parse(text));
  } catch {
    return false;
  }
}

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const toolCall = z.looseObject({
  function: z.looseObject({ name: z.string(), arguments: z.string().refine(isJsonObjectText) }),
});
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(textPart)]).nullish(),
  reasoning: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(toolCall).nullish(),
});

const tool = z.looseObject({
  type: z.literal('function').default('function'),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: jsonSchema.nullish(),
  }),
});

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name: z.string(), schema: jsonSchema.nullish() }),
  }),
]);

const structuredOutputs = z.looseObject({
  json: z.union([z.string(), jsonSchema]).nullish(),
  choice: z.array(z.string()).min(1).nullish(),
  regex: z.string().nullish(),
  json_object: z.boolean().nullish(),
});

/** The fields of a request body that the simulator uses. It ignores unknown fields, as vLLM does. */
const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: count.nullish(),
  max_completion_tokens: count.nullish(),
  n: z.literal(1).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  seed: z.int().nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  chat_template_kwargs: z.looseObject({ enable_thinking: z.boolean().nullish() }).nullish(),
  tools: z.array(tool).min(1).nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.looseObject({ function: z.looseObject({ name: z.string() }) }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
  structured_outputs: structuredOutputs.nullish(),
  guided_json: z.union([z.string(), jsonSchema]).nullish(),
  guided_choice: z.array(z.string()).min(1).nullish(),
  guided_regex: z.string().nullish(),
  cache_salt: z.string().min(1).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequest>;
export type ChatMessage = ChatRequest['messages'][number];
export type ChatTool = NonNullable<ChatRequest['tools']>[number];

const tokenizeRequest = z.looseObject({
  model: z.string().nullish(),
  prompt: z.string().nullish(),
  messages: z.array(message).min(1).nullish(),
  tools: z.array(tool).nullish(),
  add_generation_prompt: z.boolean().default(true),
});

export type TokenizeRequest = z.infer<typeof tokenizeRequest>;

/** The error names the invalid fields without their values: a body contains text of users. */
function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const places = result.error.issues.map(({ path }) => ['body', ...path].join('.'));
  const count = places.length;
  throw new RefusedRequest(
    400,
    `${count} validation error${count === 1 ? '' : 's'}:\n` +
      result.error.issues.map(({ code }, index) => `  ${places[index]}: ${code}`).join('\n'),
    places[0] ?? 'body',
  );
}

export function parseChatRequest(body: unknown): ChatRequest {
  const request = parse(chatRequest, body);
  if (request.stream_options && request.stream !== true) {
    throw new RefusedRequest(
      400,
      'Stream options can only be defined when `stream=True`.',
      'stream_options',
    );
  }
  const choice = request.tool_choice;
  if (choice !== null && choice !== undefined && choice !== 'none') {
    if (!request.tools) {
      throw new RefusedRequest(
        400,
        'When using `tool_choice`, `tools` must be set.',
        'tool_choice',
      );
    }
    const named = typeof choice === 'object' ? choice.function.name : undefined;
    if (named !== undefined && !request.tools.some((tool) => tool.function.name === named)) {
      throw new RefusedRequest(
        400,
        'The tool specified in `tool_choice` does not match any of the specified `tools`',
        'tool_choice',
      );
    }
  }
  return request;
}

export function parseTokenizeRequest(body: unknown): TokenizeRequest {
  return parse(tokenizeRequest, body);
}

/** The text of a message. As in vLLM, a line break separates text parts. */
export function textOf(message: ChatMessage): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  return content?.map((part) => part.text).join('\n') ?? '';
}
