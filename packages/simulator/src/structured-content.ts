import type { ChatRequest } from './chat-request.ts';
import { isSchema, UnsatisfiableSchema } from './merge-schemas.ts';
import type { SeededRandom } from './random.ts';
import { RefusedRequest } from './refusal.ts';
import { stringForSchema } from './schema-string.ts';
import type { JsonSchema } from './schema-validator.ts';
import { valueForSchema } from './schema-value.ts';

const anyObject: JsonSchema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    points: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 4 },
    litres: { type: 'number', minimum: 0 },
    open: { type: 'boolean' },
  },
  required: ['title', 'points', 'litres', 'open'],
};

function schemaFromText(schema: string | JsonSchema, parameter: string): JsonSchema {
  if (typeof schema !== 'string') return schema;
  try {
    const parsed: unknown = JSON.parse(schema);
    if (isSchema(parsed)) return parsed;
  } catch {
    // The error below covers both invalid JSON and an invalid schema.
  }
  throw new RefusedRequest(400, `\`${parameter}\` is not a JSON Schema.`, parameter);
}

/** A value for a schema. If the schema cannot be used, refuses the request, as a runtime does. */
export function schemaValue(schema: JsonSchema, random: SeededRandom, parameter: string): unknown {
  try {
    return valueForSchema(schema, random);
  } catch (error) {
    const why =
      error instanceof UnsatisfiableSchema
        ? 'asks for something that the simulator cannot make'
        : 'is not valid';
    throw new RefusedRequest(400, `The JSON Schema in \`${parameter}\` ${why}.`, parameter);
  }
}

interface Constraint {
  readonly parameter: string;
  readonly json?: JsonSchema;
  readonly choice?: readonly string[];
  readonly regex?: string;
}

function constraintOf(request: ChatRequest): Constraint | undefined {
  const format = request.response_format;
  if (format?.type === 'json_object') return { parameter: 'response_format', json: anyObject };
  if (format?.type === 'json_schema') {
    return { parameter: 'response_format', json: format.json_schema.schema ?? anyObject };
  }
  const structured = request.structured_outputs;
  const parameterOr = (older: string) => (structured ? 'structured_outputs' : older);
  const json = structured?.json ?? request.guided_json;
  if (json !== undefined && json !== null) {
    const parameter = parameterOr('guided_json');
    return { parameter, json: schemaFromText(json, parameter) };
  }
  if (structured?.json_object === true) return { parameter: 'structured_outputs', json: anyObject };
  const choice = structured?.choice ?? request.guided_choice;
  if (choice) return { parameter: parameterOr('guided_choice'), choice };
  const regex = structured?.regex ?? request.guided_regex;
  return regex ? { parameter: parameterOr('guided_regex'), regex } : undefined;
}

/** The content for the output format of the request. Undefined when the request does not set one. */
export function structuredContent(request: ChatRequest, random: SeededRandom): string | undefined {
  const constraint = constraintOf(request);
  if (constraint === undefined) return undefined;
  const { parameter, json, choice, regex } = constraint;
  if (json !== undefined) return JSON.stringify(schemaValue(json, random, parameter), null, 2);
  if (choice !== undefined) return random.pick(choice);
  try {
    return stringForSchema({ pattern: regex }, random);
  } catch (error) {
    if (!(error instanceof UnsatisfiableSchema)) throw error;
    throw new RefusedRequest(400, `The pattern in \`${parameter}\` is not supported.`, parameter);
  }
}
