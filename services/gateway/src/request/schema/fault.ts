import type * as z from 'zod';
import { isJsonObject } from './fields.ts';

/** What is wrong with a request. The message names the rule and the place, never the value. */
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

/** A refused parameter is told by its whole name: longer ones are not names, and are not repeated. */
const LONGEST_NAME = 256;

/** A terminal may obey them or show nothing, and the name would be taken for another. */
const HIDDEN_CHARACTER = /[\p{C}\p{Zl}\p{Zp}]/u;
const UTF16_UNIT = /[^]/g;

/** A name that the client chose, fit to be shown: bounded, on one line, hidden characters as JSON escapes them. */
export function showableName(name: string): string {
  let shown = '';
  for (const character of name.slice(0, LONGEST_NAME)) {
    const next = HIDDEN_CHARACTER.test(character) ? escaped(character) : character;
    if (shown.length + next.length > LONGEST_NAME) break;
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

/** The first issue of a parameter's value, told as a fault. */
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

/** Of a union's alternatives, the one that got furthest is what the client meant. */
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

/** JSON has no undefined: where it is found, nothing was sent. */
function valueAt(value: unknown, path: FaultPath): unknown {
  let found = value;
  for (const key of path) {
    if (Array.isArray(found) && typeof key === 'number') found = found[key];
    else if (isJsonObject(found) && typeof key === 'string') found = found[key];
    else return undefined;
  }
  return found;
}
