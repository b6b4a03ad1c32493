import { isJsonObject, type JsonObject } from '../json/json.ts';

/** Normalizes the value of a keyword. */
type Keyword = (value: unknown) => unknown;

const oneSchema: Keyword = (value) => (isJsonObject(value) ? normalizeSchema(value) : value);
const schemaOrList: Keyword = (value) =>
  Array.isArray(value) ? value.map(oneSchema) : oneSchema(value);
const mapOfSchemas: Keyword = (value) => (isJsonObject(value) ? mapped(value, oneSchema) : value);
const unchanged: Keyword = (value) => value;

/**
 * How the values of keywords are normalized. A keyword that is missing here is treated like one that holds a schema or
 * a list of schemas, because references may point into unknown keywords.
 */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...[
    'properties',
    'patternProperties',
    '$defs',
    'definitions',
    'dependentSchemas',
    'dependencies',
  ].map((name) => [name, mapOfSchemas] as const),
  ...['const', 'enum', 'default', 'examples', 'required', 'dependentRequired', 'type'].map(
    (name) => [name, unchanged] as const,
  ),
]);

/**
 * A copy of a schema in the form of the newer drafts:
 * - the boolean `exclusiveMinimum` and `exclusiveMaximum` of draft 4 become numbers
 * - `nullable` of OpenAPI becomes a type
 * - `id` of draft 4 is removed, and `format`, which newer drafts do not check
 * - patterns lose escapes that JavaScript refuses
 *
 * Throws if a pattern is not a regular expression of ECMA-262.
 */
export function normalizeSchema(from: JsonObject): JsonObject {
  const to: Record<string, unknown> = mapped(from, (value, name) =>
    (KEYWORDS.get(name) ?? schemaOrList)(value),
  );
  // With `$async`, Ajv's validators return promises. With `id`, it refuses the schema.
  for (const name of ['$async', 'id', 'format']) Reflect.deleteProperty(to, name);
  allowNull(to);
  limitExclusively(to, 'exclusiveMinimum', 'minimum');
  limitExclusively(to, 'exclusiveMaximum', 'maximum');
  if (typeof to['pattern'] === 'string') to['pattern'] = ecmaPattern(to['pattern']);
  if (isJsonObject(to['patternProperties'])) {
    to['patternProperties'] = Object.fromEntries(
      Object.entries(to['patternProperties']).map(([text, value]) => [ecmaPattern(text), value]),
    );
  }
  return to;
}

/** `nullable` of OpenAPI 3.0: https://spec.openapis.org/oas/v3.0.4.html#schema-object */
function allowNull(to: Record<string, unknown>): void {
  const { type, nullable } = to;
  if (nullable === true && type !== undefined) {
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    to['type'] = [...new Set([...types, 'null'])];
  }
  Reflect.deleteProperty(to, 'nullable');
}

/** Draft 4: https://json-schema.org/draft-04/draft-fge-json-schema-validation-00#rfc.section.5.1.3 */
function limitExclusively(to: Record<string, unknown>, exclusive: string, limit: string): void {
  if (typeof to[exclusive] !== 'boolean') return;
  if (to[exclusive] && typeof to[limit] === 'number') to[exclusive] = to[limit];
  else Reflect.deleteProperty(to, exclusive);
}

/**
 * Many patterns escape characters that need no escape, as in `\d{3}\-\d{4}`. With the flag `u`, JavaScript refuses that
 * (https://tc39.es/ecma262/#prod-IdentityEscape), so such characters are written as `\x2d`.
 */
function ecmaPattern(pattern: string): string {
  const spelled = pattern.replaceAll(/\\(.)/gsu, (escape, character: string) =>
    /[ !"#%&',\-:;<=>@_`~]/u.test(character)
      ? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
      : escape,
  );
  // The constructor throws if the pattern is invalid.
  return new RegExp(spelled, 'u').source;
}

function mapped(
  from: JsonObject,
  change: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(from).map(([name, value]) => [name, change(value, name)]),
  );
}
