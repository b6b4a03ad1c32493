import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseJson, type JsonObject } from '../runtime/json.ts';
import type { SchemaVerdict } from './schema-check-messages.ts';

const REMEMBERED_AT_MOST = 64;

// Formats are remarks in the newer drafts, and no grammar of a runtime enforces them.
const settings = { strict: false, logger: false, validateFormats: false } as const;
const compilers = {
  draft7: new Ajv(settings),
  draft2019: new Ajv2019(settings),
  draft2020: new Ajv2020(settings),
};

/** Schemas come again: a client sends the same one with every request. */
const remembered = new Map<string, ValidateFunction | undefined>();

/** Whether the text is JSON that matches the schema. Nothing is ever fetched for it. */
export function checkSchema(schema: JsonObject, content: string): SchemaVerdict {
  let value: unknown;
  try {
    value = parseJson(content);
  } catch {
    return 'differs';
  }
  const validate = validatorOf(schema);
  if (validate === undefined) return 'unchecked';
  try {
    return validate(value) ? 'matches' : 'differs';
  } catch {
    // The validator calls `valueOf` and `toString` of what it compares, and these are the answer's own members.
    return 'unchecked';
  }
}

/** Compiles the schema ahead of its check. */
export function prepareSchema(schema: JsonObject): SchemaVerdict {
  return validatorOf(schema) === undefined ? 'unchecked' : 'matches';
}

/** Each compiler's first schema takes it far longer than the next. */
export function warmUpCompilers(): void {
  for (const compiler of Object.values(compilers)) {
    const schema = { type: 'object', properties: { a: { enum: [1] } }, required: ['a'] };
    compiler.validate(schema, { a: 1 });
    compiler.removeSchema(schema);
  }
}

function validatorOf(schema: JsonObject): ValidateFunction | undefined {
  const key = JSON.stringify(schema);
  if (remembered.has(key)) return remembered.get(key);
  const validate = compile(schema);
  remembered.set(key, validate);
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED_AT_MOST && oldest !== undefined) remembered.delete(oldest);
  return validate;
}

function compile(schema: JsonObject): ValidateFunction | undefined {
  const { $schema: dialect, ...body } = schema;
  const compiler = compilers[draftOf(dialect)];
  try {
    return compiler.compile(body);
  } catch {
    // A reference to elsewhere, or a keyword that only the runtime understands.
    return undefined;
  } finally {
    // The compiler would keep every schema it has ever seen.
    compiler.removeSchema(body);
  }
}

function draftOf(dialect: unknown): keyof typeof compilers {
  const name = typeof dialect === 'string' ? dialect : '';
  if (/draft-0[467]/.test(name)) return 'draft7';
  return name.includes('2019-09') ? 'draft2019' : 'draft2020';
}
