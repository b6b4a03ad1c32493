import { type JsonObject, isJsonObject } from './fields.ts';
import { MAXIMUM_NESTING } from './nesting.ts';
import { isSoundPattern } from './schema-pattern.ts';
import { unrolledDepth } from './unrolled-depth.ts';

/**
 * Whether a JSON Schema is one: the keywords that runtimes read have the types they need, references
 * stay inside and lead somewhere, patterns are small and closed, numbers are finite, and no least
 * length or count is above the greatest: no answer could keep to that, and some runtimes look for one
 * without end. Drafts 4 to 2020-12 alike; unknown keywords are remarks. A hand-written walk, since a
 * general validator takes ten times as long and this runs for every tool of every request.
 */

type Keyword = (value: unknown, walk: Walk) => boolean;

interface Walk {
  readonly root: object;
  schema(value: unknown): boolean;
  /** How many patterns it has had. */
  patterns: number;
  /** Those that lead somewhere, where to (a list where a name has several places), and the steps that finding it took. */
  readonly references: Map<string, object | boolean>;
  referenceSteps: number;
  /** Names that are referred to: what they name may come later. */
  readonly namesToFind: Set<string>;
  /** Whatever has an `$id`. */
  readonly named: JsonObject[];
  /** Where they lead that no keyword does: a runtime reads it as a schema all the same. */
  readonly elsewhere: Set<object | boolean>;
  /** What was judged there: such places may stand within each other. Elsewhere the walk comes to each once. */
  judged: Set<object> | undefined;
  /** The keyword at fault, once there is one. */
  fault: string | undefined;
  /** The limit that it exceeds, where it is one. */
  limit: string | undefined;
}

export interface SchemaFault {
  readonly keyword: string;
  /** What is wrong with its value, after the name of the keyword. */
  readonly limit: string | undefined;
}

/** The first keyword at fault; undefined when there is none. */
export function findSchemaFault(root: object): SchemaFault | undefined {
  const walk: Walk = {
    root,
    patterns: 0,
    references: new Map(),
    referenceSteps: 0,
    namesToFind: new Set(),
    named: [],
    elsewhere: new Set(),
    judged: undefined,
    fault: undefined,
    limit: undefined,
    schema: (value) => isSchema(value, walk),
  };
  let isSound = walk.schema(root);
  walk.judged = new Set();
  // It grows while it is gone through: what is found there may refer to yet another place.
  for (const place of walk.elsewhere) isSound &&= walk.schema(place);
  if (!isSound) return { keyword: walk.fault ?? 'schema', limit: walk.limit };
  if (!findNames(walk)) return { keyword: '$ref', limit: walk.limit };
  return leadsTooDeep(walk) ? { keyword: '$ref', limit: TOO_DEEP } : undefined;
}

function isSchema(value: unknown, walk: Walk): boolean {
  if (typeof value === 'boolean') return true;
  if (!isJsonObject(value)) return false;
  if (walk.judged?.has(value) === true) return true;
  walk.judged?.add(value);
  if (typeof value['$id'] === 'string') walk.named.push(value);
  for (const name of Object.keys(value)) {
    const keyword = KEYWORDS.get(name) ?? remark;
    if (keyword(value[name], walk)) continue;
    // The innermost one is noticed first, and is what the client wants to know.
    walk.fault ??= name;
    return false;
  }
  const reversed = RANGES.find(([least, most]) => Number(value[least]) > Number(value[most]));
  walk.fault ??= reversed?.[0];
  return reversed === undefined;
}

const MAXIMUM_PATTERNS = 256;
const MAXIMUM_PATTERN_LENGTH = 1_024;
const MAXIMUM_REFERENCE_STEPS = 10_000;
const MAXIMUM_LEAST = 1_000_000;
/** Runtimes follow references by calling themselves; llama.cpp ends some thousand levels deep. */
const MAXIMUM_UNROLLED_DEPTH = 1_000;
const TOO_DEEP = `leads through more than ${MAXIMUM_UNROLLED_DEPTH} levels`;
const TOO_MANY_STEPS = `leads through more than ${MAXIMUM_REFERENCE_STEPS} steps in all`;
const TOO_MANY_PATTERNS = `stands for one of more than ${MAXIMUM_PATTERNS} patterns`;
const TOO_LONG_PATTERN = `has a pattern of more than ${MAXIMUM_PATTERN_LENGTH} characters`;
const TOO_GREAT = `is greater than ${MAXIMUM_LEAST}`;
/** Numbers may be out of order: runtimes that look at their bounds find that out. */
const RANGES = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;
const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);

const schema: Keyword = (value, walk) => walk.schema(value);
const schemas: Keyword = (value, walk) =>
  Array.isArray(value) && value.length > 0 && value.every((item) => walk.schema(item));
const schemaOrSchemas: Keyword = (value, walk) =>
  Array.isArray(value) ? value.every((item) => walk.schema(item)) : walk.schema(value);
const schemasByName: Keyword = (value, walk) =>
  isJsonObject(value) && Object.values(value).every((item) => walk.schema(item));
const schemasByPattern: Keyword = (value, walk) =>
  schemasByName(value, walk) &&
  isJsonObject(value) &&
  Object.keys(value).every((text) => isPattern(text, walk));
const remark: Keyword = (value) => hasFiniteNumbers(value);
const list: Keyword = (value) => Array.isArray(value) && hasFiniteNumbers(value);
const names: Keyword = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const count: Keyword = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
/** More than any answer can have. A runtime may unroll the number before it finds that out. */
const least: Keyword = (value, walk) =>
  count(value, walk) && isWithin(Number(value) <= MAXIMUM_LEAST, TOO_GREAT, walk);
const number: Keyword = (value) => Number.isFinite(value);
const positive: Keyword = (value) => Number.isFinite(value) && Number(value) > 0;
/** A number, or as draft 4 had it, a switch beside one. */
const numberOrSwitch: Keyword = (value) => Number.isFinite(value) || typeof value === 'boolean';
const type: Keyword = (value) =>
  Array.isArray(value)
    ? value.length > 0 && value.every((item) => typeof item === 'string' && TYPES.has(item))
    : typeof value === 'string' && TYPES.has(value);
const pattern: Keyword = (value, walk) => typeof value === 'string' && isPattern(value, walk);
const reference: Keyword = (value, walk) =>
  typeof value === 'string' && leadsSomewhere(value, walk);

const HOLDERS_OF_SCHEMAS: ReadonlySet<Keyword> = new Set([
  schemas,
  schemasByName,
  schemasByPattern,
]);
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['type', type],
  ['enum', list],
  ['required', names],
  ['properties', schemasByName],
  ['patternProperties', schemasByPattern],
  ['additionalProperties', schema],
  ['unevaluatedProperties', schema],
  ['propertyNames', schema],
  ['dependentSchemas', schemasByName],
  ['items', schemaOrSchemas],
  ['prefixItems', schemas],
  ['additionalItems', schema],
  ['unevaluatedItems', schema],
  ['contains', schema],
  ['allOf', schemas],
  ['anyOf', schemas],
  ['oneOf', schemas],
  ['not', schema],
  ['if', schema],
  ['then', schema],
  ['else', schema],
  ['$defs', schemasByName],
  ['definitions', schemasByName],
  ['minLength', least],
  ['maxLength', count],
  ['minItems', least],
  ['maxItems', count],
  ['minContains', least],
  ['maxContains', count],
  ['minProperties', least],
  ['maxProperties', count],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', numberOrSwitch],
  ['exclusiveMaximum', numberOrSwitch],
  ['multipleOf', positive],
  ['pattern', pattern],
  ['$ref', reference],
]);

/** Without `1e400` and the like anywhere in it: that is read as infinite, and would go on as null. */
function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.every(hasFiniteNumbers);
}

function isPattern(text: string, walk: Walk): boolean {
  walk.patterns += 1;
  return (
    isWithin(walk.patterns <= MAXIMUM_PATTERNS, TOO_MANY_PATTERNS, walk) &&
    isWithin(text.length <= MAXIMUM_PATTERN_LENGTH, TOO_LONG_PATTERN, walk) &&
    isSoundPattern(text)
  );
}

function isWithin(isKept: boolean, limit: string, walk: Walk): boolean {
  if (!isKept) walk.limit ??= limit;
  return isKept;
}

/** Nothing is ever fetched. An anchor is left to the runtime to find; a name may come later, and is looked for then. */
function leadsSomewhere(reference: string, walk: Walk): boolean {
  if (!reference.startsWith('#')) {
    walk.namesToFind.add(reference);
    return true;
  }
  if (walk.references.has(reference)) return true;
  const target = reference.startsWith('#/') ? find(reference, walk) : placeOfName(reference, walk);
  if (target === undefined) return false;
  walk.references.set(reference, target);
  return true;
}

function placeOfName(reference: string, { root }: Walk): object | boolean {
  return reference === '#' ? root : true;
}

/** As they are written: what an `$id` around one makes of it is left to the runtime, too. */
function findNames(walk: Walk): boolean {
  if (walk.namesToFind.size === 0) return true;
  const places = Map.groupBy(walk.named, ({ $id: name }) => name);
  for (const name of walk.namesToFind) {
    const found = places.get(name);
    if (found === undefined) return false;
    walk.referenceSteps += found.length;
    if (!isWithin(walk.referenceSteps <= MAXIMUM_REFERENCE_STEPS, TOO_MANY_STEPS, walk)) {
      return false;
    }
    // Generators write what they use twice with its name both times. Which one is meant is the runtime's to say.
    walk.references.set(name, found);
  }
  return true;
}

function find(reference: string, walk: Walk): object | boolean | undefined {
  let found: unknown = walk.root;
  let position: Position = 'schema';
  let end: number;
  // Step by step: of one that leads nowhere, no more is looked at than its first wrong turn.
  for (let start = '#/'.length; start <= reference.length; start = end + 1) {
    const slash = reference.indexOf('/', start);
    end = slash === -1 ? reference.length : slash;
    walk.referenceSteps += 1;
    if (!isWithin(walk.referenceSteps <= MAXIMUM_REFERENCE_STEPS, TOO_MANY_STEPS, walk)) {
      return undefined;
    }
    const name = unescape(reference.slice(start, end));
    if (name === undefined || typeof found !== 'object' || found === null) return undefined;
    if (!Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name) as unknown;
    position = positionBehind(position, name, found);
  }
  if (typeof found !== 'boolean' && !isJsonObject(found)) return undefined;
  if (position !== 'schema') walk.elsewhere.add(found);
  return found;
}

function leadsTooDeep({ root, references }: Walk): boolean {
  // Most schemas have so few that it is not worth a look.
  const places = [...references.values()].flat().length + 1;
  if (places * MAXIMUM_NESTING <= MAXIMUM_UNROLLED_DEPTH) return false;
  const targets = [...references].filter(
    (entry): entry is [string, object] => typeof entry[1] === 'object',
  );
  return unrolledDepth(root, new Map(targets)) > MAXIMUM_UNROLLED_DEPTH;
}

/** A schema that the walk comes to by itself, what holds such schemas, or anything else. */
type Position = 'schema' | 'schemas' | 'elsewhere';

function positionBehind(position: Position, name: string, value: unknown): Position {
  if (position !== 'schema') return position === 'schemas' ? 'schema' : 'elsewhere';
  const keyword = KEYWORDS.get(name) ?? remark;
  if (keyword === schema) return 'schema';
  if (keyword === schemaOrSchemas) return Array.isArray(value) ? 'schemas' : 'schema';
  return HOLDERS_OF_SCHEMAS.has(keyword) ? 'schemas' : 'elsewhere';
}

function unescape(part: string): string | undefined {
  try {
    const text = part.includes('%') ? decodeURIComponent(part) : part;
    return text.includes('~') ? text.replaceAll('~1', '/').replaceAll('~0', '~') : text;
  } catch {
    return undefined;
  }
}
