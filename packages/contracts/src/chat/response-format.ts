import * as z from 'zod';
import { absentIfNull, isJsonObject, jsonObject, mustBeOneOf, text, truth } from './fields.ts';

const JsonSchemaFormat = z.object(
  {
    name: text(),
    description: absentIfNull(text()),
    strict: absentIfNull(truth()),
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
