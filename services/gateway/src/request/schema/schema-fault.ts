import { MAXIMUM_NESTING } from '@sluice/contracts';
import { type JsonObject, isJsonObject } from './fields.ts';
import { isSoundPattern } from './schema-pattern.ts';
import { unrolledDepth } from './unrolled-depth.ts';

/**
 * Checks that a JSON Schema is valid and that runtimes can use it, for drafts 4 to 2020-12:
 *
 * - Keywords that runtimes read have the right types. Unknown keywords are ignored.
 * - References stay inside the schema and resolve.
 * - Patterns are small, and their brackets are closed.
 * - Numbers are finite.
 * - No minimum length or count exceeds its maximum. Otherwise, some runtimes search forever for an answer.
 *
 * Written by hand, because this runs for every tool of every request. When it was measured, a general validator took
 * ten times as long.
 */

type Keyword = (value: unknown, walk: Walk) => boolean;

interface Walk {
  readonly root: object;
  schema(value: unknown): boolean;
  /** Number of patterns so far. */
  patterns: number;
  /** The target of each resolved reference. If several subschemas have the same `$id`, it is the list of them. */
  readonly references: Map<string, object | boolean>;
  referenceSteps: number;
  /** References to an `$id`. They are resolved after the walk, because the subschema may come later. */
  readonly idsToResolve: Set<string>;
  /** All subschemas with an `$id`. */
  readonly named: JsonObject[];
  /**
   * Targets of references that the walk does not visit, for example below an unknown keyword. A runtime reads them as
   * schemas, so they are checked after the walk.
   */
  readonly elsewhere: Set<object | boolean>;
  /**
   * The schemas that were checked after the main walk, so that each is checked once: targets may contain each other.
   * Undefined during the main walk.
   */
  checkedTargets: Set<object> | undefined;
  /** The first invalid keyword. */
  fault: string | undefined;
  /** The limit that the value of the keyword exceeds, if that is the fault. */
  limit: string | undefined;
}

export interface SchemaFault {
  readonly keyword: string;
  /** The exceeded limit, as text that follows the name of the keyword. */
  readonly limit: string | undefined;
}

/** Finds the first invalid keyword. */
export function findSchemaFault(root: object): SchemaFault | undefined {
  const walk: Walk = {
    root,
    patterns: 0,
    references: new Map(),
    referenceSteps: 0,
    idsToResolve: new Set(),
    named: [],
    elsewhere: new Set(),
    checkedTargets: undefined,
    fault: undefined,
    limit: undefined,
    schema: (value) => isSchema(value, walk),
  };
  let isSound = walk.schema(root);
  walk.checkedTargets = new Set();
  // The set grows during the loop, because a target may refer to further targets.
  for (const place of walk.elsewhere) isSound &&= walk.schema(place);
  if (!isSound) return { keyword: walk.fault ?? 'schema', limit: walk.limit };
  if (!resolveNames(walk)) return { keyword: '$ref', limit: walk.limit };
  return isTooDeep(walk) ? { keyword: '$ref', limit: TOO_DEEP } : undefined;
}

function isSchema(value: unknown, walk: Walk): boolean {
  if (typeof value === 'boolean') return true;
  if (!isJsonObject(value)) return false;
  if (walk.checkedTargets?.has(value) === true) return true;
  walk.checkedTargets?.add(value);
  if (typeof value['$id'] === 'string') walk.named.push(value);
  for (const name of Object.keys(value)) {
    const keyword = KEYWORDS.get(name) ?? annotation;
    if (keyword(value[name], walk)) continue;
    // The innermost invalid keyword is reached first, and it describes the fault best.
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
const MAXIMUM_MIN_COUNT = 1_000_000;
/** Runtimes follow references recursively. llama.cpp crashes at a depth of some thousand levels. */
const MAXIMUM_UNROLLED_DEPTH = 1_000;
const TOO_DEEP = `leads through more than ${MAXIMUM_UNROLLED_DEPTH} levels`;
const TOO_MANY_STEPS = `leads through more than ${MAXIMUM_REFERENCE_STEPS} steps in all`;
const TOO_MANY_PATTERNS = `stands for one of more than ${MAXIMUM_PATTERNS} patterns`;
const TOO_LONG_PATTERN = `has a pattern of more than ${MAXIMUM_PATTERN_LENGTH} characters`;
const TOO_GREAT = `is greater than ${MAXIMUM_MIN_COUNT}`;
/** `minimum` and `maximum` are left out: runtimes that read them detect a reversed range themselves. */
const RANGES = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;
const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);

const schema: Keyword = (value, walk) => walk.schema(value);
const schemaList: Keyword = (value, walk) =>
  Array.isArray(value) && value.length > 0 && value.every((item) => walk.schema(item));
const schemaOrList: Keyword = (value, walk) =>
  Array.isArray(value) ? value.every((item) => walk.schema(item)) : walk.schema(value);
const schemaMap: Keyword = (value, walk) =>
  isJsonObject(value) && Object.values(value).every((item) => walk.schema(item));
const patternMap: Keyword = (value, walk) =>
  schemaMap(value, walk) &&
  isJsonObject(value) &&
  Object.keys(value).every((text) => isPattern(text, walk));
const annotation: Keyword = (value) => hasFiniteNumbers(value);
const list: Keyword = (value) => Array.isArray(value) && hasFiniteNumbers(value);
const names: Keyword = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const count: Keyword = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
/**
 * A minimum length or count. A very large one is refused, because a runtime may repeat a rule of its grammar that
 * often.
 */
const minimumCount: Keyword = (value, walk) =>
  count(value, walk) && isWithin(Number(value) <= MAXIMUM_MIN_COUNT, TOO_GREAT, walk);
const number: Keyword = (value) => Number.isFinite(value);
const positive: Keyword = (value) => Number.isFinite(value) && Number(value) > 0;
/** A number, or in draft 4 a boolean. */
const numberOrBoolean: Keyword = (value) => Number.isFinite(value) || typeof value === 'boolean';
const type: Keyword = (value) =>
  Array.isArray(value)
    ? value.length > 0 && value.every((item) => typeof item === 'string' && TYPES.has(item))
    : typeof value === 'string' && TYPES.has(value);
const pattern: Keyword = (value, walk) => typeof value === 'string' && isPattern(value, walk);
const reference: Keyword = (value, walk) =>
  typeof value === 'string' && resolvesReference(value, walk);

const CONTAINERS_OF_SCHEMAS: ReadonlySet<Keyword> = new Set([schemaList, schemaMap, patternMap]);
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['type', type],
  ['enum', list],
  ['required', names],
  ['properties', schemaMap],
  ['patternProperties', patternMap],
  ['additionalProperties', schema],
  ['unevaluatedProperties', schema],
  ['propertyNames', schema],
  ['dependentSchemas', schemaMap],
  ['items', schemaOrList],
  ['prefixItems', schemaList],
  ['additionalItems', schema],
  ['unevaluatedItems', schema],
  ['contains', schema],
  ['allOf', schemaList],
  ['anyOf', schemaList],
  ['oneOf', schemaList],
  ['not', schema],
  ['if', schema],
  ['then', schema],
  ['else', schema],
  ['$defs', schemaMap],
  ['definitions', schemaMap],
  ['minLength', minimumCount],
  ['maxLength', count],
  ['minItems', minimumCount],
  ['maxItems', count],
  ['minContains', minimumCount],
  ['maxContains', count],
  ['minProperties', minimumCount],
  ['maxProperties', count],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', numberOrBoolean],
  ['exclusiveMaximum', numberOrBoolean],
  ['multipleOf', positive],
  ['pattern', pattern],
  ['$ref', reference],
]);

/** Whether all numbers are finite. `1e400` is parsed as Infinity, which would be forwarded as null. */
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

/**
 * Whether a reference has a target. Nothing is fetched. Anchors are accepted without a search, and each `$id` is
 * resolved after the walk.
 */
function resolvesReference(reference: string, walk: Walk): boolean {
  if (!reference.startsWith('#')) {
    walk.idsToResolve.add(reference);
    return true;
  }
  if (walk.references.has(reference)) return true;
  const target = reference.startsWith('#/')
    ? findByPointer(reference, walk)
    : targetOfAnchor(reference, walk);
  if (target === undefined) return false;
  walk.references.set(reference, target);
  return true;
}

function targetOfAnchor(reference: string, { root }: Walk): object | boolean {
  return reference === '#' ? root : true;
}

/**
 * Looks for each `$id` as it is written. An enclosing `$id`, which would change the base of a relative one, is not
 * applied.
 */
function resolveNames(walk: Walk): boolean {
  if (walk.idsToResolve.size === 0) return true;
  const schemasById = Map.groupBy(walk.named, ({ $id: name }) => name);
  for (const name of walk.idsToResolve) {
    const found = schemasById.get(name);
    if (found === undefined) return false;
    walk.referenceSteps += found.length;
    if (!isWithin(walk.referenceSteps <= MAXIMUM_REFERENCE_STEPS, TOO_MANY_STEPS, walk)) {
      return false;
    }
    // Schema generators may repeat a definition with its `$id`. All copies are kept, because runtimes differ in which
    // one they use.
    walk.references.set(name, found);
  }
  return true;
}

function findByPointer(reference: string, walk: Walk): object | boolean | undefined {
  let found: unknown = walk.root;
  let position: Position = 'schema';
  let end: number;
  // The pointer is split step by step, so that an invalid one is read only up to its first wrong step.
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
    position = positionAfter(position, name, found);
  }
  if (typeof found !== 'boolean' && !isJsonObject(found)) return undefined;
  if (position !== 'schema') walk.elsewhere.add(found);
  return found;
}

function isTooDeep({ root, references }: Walk): boolean {
  // Schemas with few references cannot exceed the depth.
  const targetCount = [...references.values()].flat().length + 1;
  if (targetCount * MAXIMUM_NESTING <= MAXIMUM_UNROLLED_DEPTH) return false;
  const targets = [...references].filter(
    (entry): entry is [string, object] => typeof entry[1] === 'object',
  );
  return unrolledDepth(root, new Map(targets)) > MAXIMUM_UNROLLED_DEPTH;
}

/**
 * Where a reference points: at a schema that the walk visits, at a list or an object that holds schemas, or at anything
 * else.
 */
type Position = 'schema' | 'schemas' | 'elsewhere';

function positionAfter(position: Position, name: string, value: unknown): Position {
  if (position !== 'schema') return position === 'schemas' ? 'schema' : 'elsewhere';
  const keyword = KEYWORDS.get(name) ?? annotation;
  if (keyword === schema) return 'schema';
  if (keyword === schemaOrList) return Array.isArray(value) ? 'schemas' : 'schema';
  return CONTAINERS_OF_SCHEMAS.has(keyword) ? 'schemas' : 'elsewhere';
}

function unescape(part: string): string | undefined {
  try {
    const text = part.includes('%') ? decodeURIComponent(part) : part;
    return text.includes('~') ? text.replaceAll('~1', '/').replaceAll('~0', '~') : text;
  } catch {
    return undefined;
  }
}
