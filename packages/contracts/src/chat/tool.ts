import * as z from 'zod';
import {
  absentIfNull,
  jsonObject,
  mustBeOneOf,
  oneOf,
  text,
  textMatching,
  truth,
} from './fields.ts';

const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const FunctionDefinition = z.object(
  {
    name: textMatching(FUNCTION_NAME, '1 to 64 letters, digits, underscores or hyphens'),
    description: absentIfNull(text()),
    parameters: absentIfNull(jsonObject()),
    /** True asks the runtime to constrain the arguments to the parameters. */
    strict: absentIfNull(truth()),
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

export const ToolChoice = z.union([z.enum(TOOL_CHOICE_MODES), NamedToolChoice], {
  error: `${mustBeOneOf(TOOL_CHOICE_MODES)}, or an object that names a function`,
});
export type ToolChoice = z.infer<typeof ToolChoice>;
