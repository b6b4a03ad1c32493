import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../json/json.ts';
import type { ContentValidator, Draft } from './content-validator.ts';

const settings = {
  strict: false,
  // The gateway has seen that keywords have their types. A remark, as a `title` that is null, needs none.
  validateSchema: false,
  logger: false,
  // An answer has the members that it names, and not those of every object.
  ownProperties: true,
  // 19.99 / 0.01 is 1998.9999999999998.
  multipleOfPrecision: 6,
} as const;
const compilers: Readonly<Record<Draft, Compiler>> = {
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

let compiled = 0;

/** Of all schemas that were compiled here: the compilers keep a part of each, some 40 bytes a character, for good. */
export function compiledCharacters(): number {
  return compiled;
}

/** Throws where the compiler does: for a reference to elsewhere, or a keyword with a value that it has no meaning for. */
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

/** Each compiler's first schema takes it far longer than the next. */
export function warmUpCompilers(): void {
  for (const { ajv } of Object.values(compilers)) {
    const schema = { type: 'object', properties: { a: { enum: [1] } }, required: ['a'] };
    ajv.validate(schema, { a: 1 });
    ajv.removeSchema(schema);
  }
}

function withItsNames(ajv: Ajv): Compiler {
  return { ajv, schemas: { ...ajv.schemas }, refs: { ...ajv.refs } };
}

/**
 * The compiler would keep every schema it has ever seen, and the names in it. They are a client's own, whatever they
 * are: none is taken from the next client, and that of the compiler's own schema does not take that away.
 */
function forget(schema: JsonObject, { ajv, schemas, refs }: Compiler): void {
  // It cannot forget a name that is no text; it has not learned one either.
  if (typeof (schema['$id'] ?? '') === 'string') ajv.removeSchema(schema);
  for (const name of Object.keys(ajv.refs)) {
    if (!Object.hasOwn(refs, name)) Reflect.deleteProperty(ajv.refs, name);
  }
  Object.assign(ajv.refs, refs);
  Object.assign(ajv.schemas, schemas);
}
