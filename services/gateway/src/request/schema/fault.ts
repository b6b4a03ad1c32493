import type * as z from 'zod';
import { isJsonObject } from './fields.ts';

/** An error in a request. The message states the rule and the place, never the value. */
export interface RequestFault {
  readonly code:
    | 'invalid_value'
    | 'unsupported_parameter'
    | 'unsupported_value'
    | 'missing_required_parameter';
  readonly param: string;
  readonly message: string;
}

type FaultPath = readonly PropertyKey[];

export function invalidValue(param: string, rule: string): RequestFault {
  return { code: 'invalid_value', param, message: `${param} ${rule}.` };
}

export function unsupportedValue(param: string, rule: string): RequestFault {
  return { code: 'unsupported_value', param, message: `${param} ${rule}.` };
}

export function unsupportedParameter(param: string): RequestFault {
  return { code: 'unsupported_parameter', param, message: `Unsupported parameter: '${param}'.` };
}

export function missingParameter(param: string): RequestFault {
  return {
    code: 'missing_required_parameter',
    param,
    message: `Missing required parameter: '${param}'.`,
  };
}

/** If the name of an unsupported parameter is longer, the message contains only its beginning. */
const MAX_NAME_LENGTH = 256;

/** Characters that a terminal may hide or interpret, so that the name looks like a different one. */
const HIDDEN_CHARACTER = /[\p{C}\p{Zl}\p{Zp}]/u;
const UTF16_UNIT = /[^]/g;

/** Makes a name from the client safe to show: bounded, on one line, with hidden characters escaped as in JSON. */
export function showableName(name: string): string {
  let shown = '';
  for (const character of name.slice(0, MAX_NAME_LENGTH)) {
    const next = HIDDEN_CHARACTER.test(character) ? escaped(character) : character;
    if (shown.length + next.length > MAX_NAME_LENGTH) break;
    shown += next;
  }
  return shown;
}

function escaped(character: string): string {
  return character.replaceAll(
    UTF16_UNIT,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Converts an issue of zod to a fault. */
export function faultOfIssue(
  parameter: string,
  value: unknown,
  found: z.core.$ZodIssue,
): RequestFault {
  const { issue, path } = deepestIssue(found, found.path);
  const param = parameter + pathText(path);
  if (issue.code === 'unrecognized_keys') {
    return unsupportedParameter(`${param}.${showableName(issue.keys[0] ?? '')}`);
  }
  if (valueAt(value, path) === undefined) return missingParameter(param);
  if (issue.code === 'custom' && issue.params?.['unsupported'] === true) {
    return unsupportedParameter(param);
  }
  return invalidValue(param, issue.message);
}

/** In a union, the alternative that matched furthest is most likely what the client meant. */
function deepestIssue(
  issue: z.core.$ZodIssue,
  path: FaultPath,
): { issue: z.core.$ZodIssue; path: FaultPath } {
  let deepest = { issue, path };
  if (issue.code !== 'invalid_union') return deepest;
  for (const [inner] of issue.errors) {
    if (inner === undefined || inner.path.length === 0) continue;
    const candidate = deepestIssue(inner, [...path, ...inner.path]);
    if (candidate.path.length > deepest.path.length) deepest = candidate;
  }
  return deepest;
}

function pathText(path: FaultPath): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
}

/** The value at the path. Undefined means absent, since JSON has no undefined. */
function valueAt(value: unknown, path: FaultPath): unknown {
  let found = value;
  for (const key of path) {
    if (Array.isArray(found) && typeof key === 'number') found = found[key];
    else if (isJsonObject(found) && typeof key === 'string') found = found[key];
    else return undefined;
  }
  return found;
}
