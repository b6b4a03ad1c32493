import { Validator } from '@cfworker/json-schema';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

export interface SchemaValidator {
  accepts(value: unknown): boolean;
}

const settings = { strict: false, logger: false } as const;
const ajv2020 = new Ajv2020(settings);
const ajvDraft7 = new Ajv(settings);
ajvFormats.default(ajv2020);
ajvFormats.default(ajvDraft7);

type Accepts = (value: unknown) => boolean;

const remembered = new Map<string, Accepts>();
const rememberedAtMost = 64;
/**
 * Longer schemas are interpreted. Ajv needs a second to compile a schema of 1,000 properties, and overflows the stack at
 * 2,000.
 */
const compiledCharacters = 32_768;

// Drafts 4, 6 and 7 write tuples in another syntax. The `$schema` of a schema names its draft.
function isEarlierDialect(schema: JsonSchema): boolean {
  const dialect = typeof schema === 'object' ? schema['$schema'] : undefined;
  return typeof dialect === 'string' && /draft-0[467]/.test(dialect);
}

function compile(schema: JsonSchema): Accepts {
  const compiler = isEarlierDialect(schema) ? ajvDraft7 : ajv2020;
  // Without this, Ajv would look up the named dialect, and fail when it does not know it.
  const { $schema: _dialect, ...body } = typeof schema === 'object' ? schema : { allOf: [schema] };
  try {
    const validate = compiler.compile(body);
    return (value) => validate(value);
  } finally {
    // Without this, Ajv would keep every schema that it has compiled.
    compiler.removeSchema(body);
  }
}

function interpret(schema: JsonSchema): Accepts {
  const validator = new Validator(schema, isEarlierDialect(schema) ? '7' : '2020-12');
  return (value) => validator.validate(value).valid;
}

/**
 * Compiles a schema, or interprets it when it is too large to compile. Throws for an invalid schema that is compiled.
 */
export function schemaValidator(schema: JsonSchema): SchemaValidator {
  const key = JSON.stringify(schema);
  const make = key.length > compiledCharacters ? interpret : compile;
  const accepts = remembered.get(key) ?? make(schema);
  remembered.delete(key);
  remembered.set(key, accepts);
  const oldest = remembered.size > rememberedAtMost ? remembered.keys().next().value : undefined;
  if (oldest !== undefined) remembered.delete(oldest);
  return {
    accepts: (value) => {
      try {
        return accepts(value);
      } catch {
        // The validator calls `valueOf` and `toString` of compared values. These can be members of the JSON value
        // itself.
        return false;
      }
    },
  };
}
