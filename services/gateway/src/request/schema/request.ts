import * as z from 'zod';
import {
  absentIfEmpty,
  absentIfNull,
  integer,
  mustBeOneOf,
  nonEmptyText,
  numberBetween,
  positiveInteger,
  textOfLength,
  boolean,
  isJsonObject,
  jsonObject,
  text,
  oneOf,
  textMatching,
} from './fields.ts';
import { Message } from './message.ts';

const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const FunctionDefinition = z.object(
  {
    name: textMatching(FUNCTION_NAME, '1 to 64 letters, digits, underscores or hyphens'),
    description: absentIfNull(text()),
    parameters: absentIfNull(jsonObject()),
    /** If true, the runtime is asked to make the arguments of a call match the schema in `parameters`. */
    strict: absentIfNull(boolean()),
  },
  { error: 'must be an object' },
);

export const Tool = z.object(
  { type: oneOf(['function']), function: FunctionDefinition },
  { error: 'must be an object' },
);
export type Tool = z.infer<typeof Tool>;

const TOOL_CHOICE_MODES = ['none', 'auto', 'required'] as const;

const NamedToolChoice = z.object({
  type: oneOf(['function']),
  function: z.object({ name: text() }, { error: 'must be an object' }),
});

const ToolChoice = z.union([z.enum(TOOL_CHOICE_MODES), NamedToolChoice], {
  error: `${mustBeOneOf(TOOL_CHOICE_MODES)}, or an object that names a function`,
});
type ToolChoice = z.infer<typeof ToolChoice>;

const JsonSchemaFormat = z.object(
  {
    name: text(),
    description: absentIfNull(text()),
    strict: absentIfNull(boolean()),
    schema: absentIfNull(jsonObject()),
  },
  { error: 'must be an object' },
);
export type JsonSchemaFormat = z.infer<typeof JsonSchemaFormat>;

export const ResponseFormat = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({ type: z.literal('json_schema'), json_schema: JsonSchemaFormat }),
  ],
  {
    error: (issue) =>
      isJsonObject(issue.input)
        ? mustBeOneOf(['text', 'json_object', 'json_schema'])
        : 'must be an object',
  },
);
export type ResponseFormat = z.infer<typeof ResponseFormat>;

const MAXIMUM_MESSAGES = 10_000;
const MAXIMUM_TOOLS = 128;
const MAXIMUM_STOP_SEQUENCES = 4;

const messagesRule = `must be an array of 1 to ${MAXIMUM_MESSAGES} messages`;
const toolsRule = `must be an array of at most ${MAXIMUM_TOOLS} tools`;
const stopRule = `must be a non-empty string, or an array of 1 to ${MAXIMUM_STOP_SEQUENCES} of them`;
const modalitiesRule = `must be ['text']`;

const StreamOptions = z.object(
  { include_usage: absentIfNull(boolean()), include_obfuscation: absentIfNull(boolean()) },
  { error: 'must be an object' },
);

const Messages = z
  .array(Message, { error: messagesRule })
  .min(1, { error: messagesRule })
  .max(MAXIMUM_MESSAGES, { error: messagesRule });

const StopSequences = z
  .array(nonEmptyText())
  .min(1, { error: stopRule })
  .max(MAXIMUM_STOP_SEQUENCES, { error: stopRule });

const Tools = z.array(Tool, { error: toolsRule }).max(MAXIMUM_TOOLS, { error: toolsRule });

const ServiceTier = z.enum(['auto', 'default'], { error: mustBeOneOf(['auto', 'default']) });

const Modalities = z.tuple([z.literal('text', { error: modalitiesRule })], {
  error: modalitiesRule,
});

/** All parameters, in the order in which they are checked. */
export const ChatCompletionRequestBody = z.strictObject({
  model: nonEmptyText().describe('A model identifier from the list of models.'),
  messages: Messages.describe('The conversation so far.'),
  stream: absentIfNull(boolean()).describe('When true, the reply is a server-sent-event stream.'),
  stream_options: absentIfNull(StreamOptions).describe('Only together with `stream: true`.'),
  temperature: absentIfNull(numberBetween(0, 2)).describe('Adjust this or `top_p`, not both.'),
  top_p: absentIfNull(numberBetween(0, 1)).describe('Nucleus sampling threshold.'),
  max_completion_tokens: absentIfNull(positiveInteger()).describe(
    'Upper bound for generated tokens, visible output plus reasoning. Not together with `max_tokens`.',
  ),
  max_tokens: absentIfNull(positiveInteger()).meta({
    deprecated: true,
    description: 'Use `max_completion_tokens`. Not together with it.',
  }),
  stop: absentIfNull(z.union([nonEmptyText(), StopSequences], { error: stopRule })).describe(
    'Accepted without effect: generation does not stop at these sequences.',
  ),
  seed: absentIfNull(integer()).describe('Best-effort deterministic sampling.'),
  reasoning_effort: absentIfNull(textOfLength(1, 64)).describe(
    "One of the model's `reasoning.supported_efforts`, where it lists them.",
  ),
  tools: absentIfEmpty(Tools).describe('Functions the model may call, each name once.'),
  tool_choice: absentIfNull(ToolChoice).describe('Only together with `tools`.'),
  parallel_tool_calls: absentIfNull(boolean()).describe('Only together with `tools`.'),
  n: absentIfNull(z.literal(1, { error: 'must be 1' })),
  logprobs: absentIfNull(z.literal(false, { error: 'must be false' })),
  logit_bias: absentIfNull(z.strictObject({}, { error: 'must be an empty object' })),
  frequency_penalty: absentIfNull(numberBetween(-2, 2)).describe(
    'Positive values penalize tokens by their frequency so far.',
  ),
  presence_penalty: absentIfNull(numberBetween(-2, 2)).describe(
    'Positive values penalize tokens that have appeared so far.',
  ),
  response_format: absentIfNull(ResponseFormat),
  service_tier: absentIfNull(ServiceTier).describe('Both values select standard processing.'),
  store: absentIfNull(z.literal(false, { error: 'must be false' })),
  modalities: absentIfNull(Modalities),
  verbosity: absentIfNull(z.literal('medium', { error: mustBeOneOf(['medium']) })),
});

export type ParameterName = keyof typeof ChatCompletionRequestBody.shape;

/** Parameters whose valid values all mean the same. After validation, they are dropped. */
export const FIXED_PARAMETERS = [
  'n',
  'logprobs',
  'logit_bias',
  'service_tier',
  'store',
  'modalities',
  'verbosity',
] as const satisfies readonly ParameterName[];

/** Parameters that are checked and then dropped. */
export const INERT_PARAMETERS = [
  ...FIXED_PARAMETERS,
  'stop',
] as const satisfies readonly ParameterName[];

/** A valid request. Nulls, unlisted fields of nested objects and parameters without effect are removed. */
export type ChatCompletionRequest = Omit<
  z.infer<typeof ChatCompletionRequestBody>,
  (typeof INERT_PARAMETERS)[number]
>;
