import { Ajv, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

export interface SchemaValidator {
  accepts(value: unknown): boolean;
}

const settings = { strict: false, logger: false } as const;
const present = new Ajv2020(settings);
const earlier = new Ajv(settings);
ajvFormats.default(present);
ajvFormats.default(earlier);

const remembered = new Map<string, ValidateFunction>();
const rememberedAtMost = 64;

// Tuples are written differently before 2019; a schema says so by its dialect.
function isEarlierDialect(schema: JsonSchema): boolean {
  const dialect = typeof schema === 'object' ? schema['$schema'] : undefined;
  return typeof dialect === 'string' && /draft-0[467]/.test(dialect);
}

function compile(schema: JsonSchema): ValidateFunction {
  const compiler = isEarlierDialect(schema) ? earlier : present;
  // The name of the dialect would be looked up, and only two are known here.
  const { $schema: _dialect, ...body } = typeof schema === 'object' ? schema : { allOf: [schema] };
  try {
    return compiler.compile(body);
  } finally {
    // The compiler would otherwise keep every schema it has ever seen.
    compiler.removeSchema(body);
  }
}

/** Compiles a schema; throws when the schema itself is not valid. */
export function schemaValidator(schema: JsonSchema): SchemaValidator {
  const key = JSON.stringify(schema);
  const accepts = remembered.get(key) ?? compile(schema);
  remembered.delete(key);
  remembered.set(key, accepts);
  const oldest = remembered.size > rememberedAtMost ? remembered.keys().next().value : undefined;
  if (oldest !== undefined) remembered.delete(oldest);
  return {
    accepts: (value) => {
      try {
        return accepts(value);
      } catch {
        // The validator calls `valueOf` and `toString` of what it compares, and these are the value's own members.
        return false;
      }
    },
  };
}
