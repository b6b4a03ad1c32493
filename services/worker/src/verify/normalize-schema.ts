import { isJsonObject, type JsonObject } from '../json/json.ts';

type Keyword = (value: unknown) => unknown;

const schema: Keyword = (value) => (isJsonObject(value) ? normalizeSchema(value) : value);
const schemas: Keyword = (value) => (Array.isArray(value) ? value.map(schema) : schema(value));
const schemasByName: Keyword = (value) => (isJsonObject(value) ? mapped(value, schema) : value);
const asIs: Keyword = (value) => value;

/** What these hold is data. Everything else may hold a schema: references lead into unknown keywords too. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...[
    'properties',
    'patternProperties',
    '$defs',
    'definitions',
    'dependentSchemas',
    'dependencies',
  ].map((name) => [name, schemasByName] as const),
  ...['const', 'enum', 'default', 'examples', 'required', 'dependentRequired', 'type'].map(
    (name) => [name, asIs] as const,
  ),
]);

/**
 * A copy of a schema in which every draft reads alike: the boolean `exclusiveMinimum` and `exclusiveMaximum` of draft 4
 * are numbers, OpenAPI's `nullable` is a type, draft 4's `id` and what is a remark in the newer drafts (`format`) are
 * gone, and patterns have no escapes that JavaScript refuses. Throws when a pattern is no regular expression of ECMA-262.
 */
export function normalizeSchema(from: JsonObject): JsonObject {
  const to: Record<string, unknown> = mapped(from, (value, name) =>
    (KEYWORDS.get(name) ?? schemas)(value),
  );
  // The validators know `$async` as a promise, and `id` as a mistake.
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

/** OpenAPI 3.0's way to write it. https://spec.openapis.org/oas/v3.0.4.html#schema-object */
function allowNull(to: Record<string, unknown>): void {
  const { type, nullable } = to;
  if (nullable === true && type !== undefined) {
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    to['type'] = [...new Set([...types, 'null'])];
  }
  Reflect.deleteProperty(to, 'nullable');
}

/** Draft 4: a switch beside the limit. https://json-schema.org/draft-04/draft-fge-json-schema-validation-00#rfc.section.5.1.3 */
function limitExclusively(to: Record<string, unknown>, exclusive: string, limit: string): void {
  if (typeof to[exclusive] !== 'boolean') return;
  if (to[exclusive] && typeof to[limit] === 'number') to[exclusive] = to[limit];
  else Reflect.deleteProperty(to, exclusive);
}

/**
 * Many patterns escape what needs no escape, as `\d{3}\-\d{4}` does, and JavaScript refuses that beside Unicode. It
 * takes a character by its number anywhere.
 */
function ecmaPattern(pattern: string): string {
  const spelled = pattern.replaceAll(/\\(.)/gsu, (escape, character: string) =>
    /[ !"#%&',\-:;<=>@_`~]/u.test(character)
      ? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
      : escape,
  );
  // The constructor throws where the pattern is none.
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
