import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseJson, type JsonObject } from '../json/json.ts';
import type { SchemaVerdict } from './schema-thread-messages.ts';

const REMEMBERED_AT_MOST = 64;

const settings = {
  strict: false,
  // The gateway has seen that keywords have their types. A remark, as a `title` that is null, needs none.
  validateSchema: false,
  code: { regExp: Object.assign(readPattern, { code: 'new RegExp' }) },
  logger: false,
  // Formats are remarks in the newer drafts, and no grammar of a runtime enforces them.
  validateFormats: false,
  // An answer has the members that it names, and not those of every object.
  ownProperties: true,
  // 19.99 / 0.01 is 1998.9999999999998.
  multipleOfPrecision: 6,
} as const;
const compilers = {
  draft7: withItsNames(new Ajv(settings)),
  draft2019: withItsNames(new Ajv2019(settings)),
  draft2020: withItsNames(new Ajv2020(settings)),
};

/** A compiler, and what it knows by name before any client's schema has come. */
interface Compiler {
  readonly ajv: Ajv;
  readonly schemas: Ajv['schemas'];
  readonly refs: Ajv['refs'];
}

/** Schemas come again: a client sends the same one with every request. */
const remembered = new Map<string, ValidateFunction | undefined>();
let compiled = 0;

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

/** Of all schemas that were compiled here: the compilers keep a part of each, some 40 bytes a character, for good. */
export function compiledCharacters(): number {
  return compiled;
}

/** Each compiler's first schema takes it far longer than the next. */
export function warmUpCompilers(): void {
  for (const { ajv } of Object.values(compilers)) {
    const schema = { type: 'object', properties: { a: { enum: [1] } }, required: ['a'] };
    ajv.validate(schema, { a: 1 });
    ajv.removeSchema(schema);
  }
}

function validatorOf(schema: JsonObject): ValidateFunction | undefined {
  const key = JSON.stringify(schema);
  if (remembered.has(key)) return remembered.get(key);
  const validate = compile(schema);
  compiled += key.length;
  remembered.set(key, validate);
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED_AT_MOST && oldest !== undefined) remembered.delete(oldest);
  return validate;
}

function compile(schema: JsonObject): ValidateFunction | undefined {
  // To the compiler alone, `$async` is more than a remark: its verdict would come later.
  const { $schema: dialect, $async: _, ...body } = schema;
  // It could not even forget a name that is no text.
  if (typeof (body['$id'] ?? '') !== 'string') return undefined;
  const validate = compileWith(compilers[draftOf(dialect)], body);
  // Without the name of a draft, tuples are written as the older ones have them, too. The last of those knows the most.
  if (validate !== undefined || dialect !== undefined) return validate;
  return compileWith(compilers.draft2019, body);
}

function compileWith(compiler: Compiler, schema: JsonObject): ValidateFunction | undefined {
  try {
    return compiler.ajv.compile(schema);
  } catch {
    // A reference to elsewhere, or a keyword that only the runtime understands.
    return undefined;
  } finally {
    forget(schema, compiler);
  }
}

/**
 * Many patterns escape what needs no escape, as `\d{3}\-\d{4}` does, and JavaScript refuses that beside Unicode. By
 * its number it takes a character anywhere.
 */
function readPattern(pattern: string, flags: string): RegExp {
  const spelled = pattern.replaceAll(/\\(.)/gsu, (escape, character: string) =>
    /[ !"#%&',\-:;<=>@_`~]/u.test(character)
      ? `\\x${character.charCodeAt(0).toString(16)}`
      : escape,
  );
  return new RegExp(spelled, flags);
}

function withItsNames(ajv: Ajv): Compiler {
  return { ajv, schemas: { ...ajv.schemas }, refs: { ...ajv.refs } };
}

/**
 * The compiler would keep every schema it has ever seen, and the names in it. They are a client's own, whatever they
 * are: none is taken from the next client, and that of the compiler's own schema does not take that away.
 */
function forget(schema: JsonObject, { ajv, schemas, refs }: Compiler): void {
  ajv.removeSchema(schema);
  for (const name of Object.keys(ajv.refs)) {
    if (!Object.hasOwn(refs, name)) Reflect.deleteProperty(ajv.refs, name);
  }
  Object.assign(ajv.refs, refs);
  Object.assign(ajv.schemas, schemas);
}

function draftOf(dialect: unknown): keyof typeof compilers {
  const name = typeof dialect === 'string' ? dialect : '';
  if (/draft-0[467]/.test(name)) return 'draft7';
  return name.includes('2019-09') ? 'draft2019' : 'draft2020';
}
