import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../json/json.ts';

/** Whether a parsed reply matches its schema. May throw. */
export type ContentValidator = (value: unknown) => boolean;

/** The drafts of JSON Schema that are distinguished. */
export type Draft = 'draft7' | 'draft2019' | 'draft2020';

const settings = {
  strict: false,
  // The gateway has checked the types of keywords. Ajv's own validation refuses harmless annotations, like a null
  // `title`.
  validateSchema: false,
  logger: false,
  // Ignores inherited members like `toString`: https://ajv.js.org/options.html#ownproperties
  ownProperties: true,
  // Without this, 19.99 is no multiple of 0.01, because 19.99 / 0.01 is 1998.9999999999998:
  // https://ajv.js.org/options.html#multipleofprecision
  multipleOfPrecision: 6,
} as const;
const compilers: Readonly<Record<Draft, Compiler>> = {
  draft7: newCompiler(new Ajv(settings)),
  draft2019: newCompiler(new Ajv2019(settings)),
  draft2020: newCompiler(new Ajv2020(settings)),
};

/** A compiler, and copies of the names that it knows before it compiles a client's schema. */
interface Compiler {
  readonly ajv: Ajv;
  readonly schemas: Ajv['schemas'];
  readonly refs: Ajv['refs'];
}

let compiled = 0;

/**
 * Total length of all compiled schemas. In a measurement, the compilers kept about 40 bytes forever for each character.
 */
export function compiledCharacters(): number {
  return compiled;
}

/** Throws if the compiler does: for an external reference, or an invalid value of a keyword. */
export function compileSchema(
  schema: JsonObject,
  { draft, characters }: { readonly draft: Draft; readonly characters: number },
): ContentValidator {
  const compiler = compilers[draft];
  compiled += characters;
  try {
    const validate = compiler.ajv.compile(schema);
    return (value) => validate(value);
  } finally {
    forget(schema, compiler);
  }
}

/** Compiles a schema with each compiler, because the first one takes far longer than later ones. */
export function warmUpCompilers(): void {
  for (const { ajv } of Object.values(compilers)) {
    const schema = { type: 'object', properties: { a: { enum: [1] } }, required: ['a'] };
    ajv.validate(schema, { a: 1 });
    ajv.removeSchema(schema);
  }
}

function newCompiler(ajv: Ajv): Compiler {
  return { ajv, schemas: { ...ajv.schemas }, refs: { ...ajv.refs } };
}

/**
 * Restores the compiler's names. Ajv keeps every schema and its ids, which would conflict with the ids in schemas of
 * other clients, or replace the compiler's own meta-schema.
 */
function forget(schema: JsonObject, { ajv, schemas, refs }: Compiler): void {
  // If `$id` is not a string, Ajv has stored nothing, and `removeSchema` would throw.
  if (typeof (schema['$id'] ?? '') === 'string') ajv.removeSchema(schema);
  for (const name of Object.keys(ajv.refs)) {
    if (!Object.hasOwn(refs, name)) Reflect.deleteProperty(ajv.refs, name);
  }
  Object.assign(ajv.refs, refs);
  Object.assign(ajv.schemas, schemas);
}
