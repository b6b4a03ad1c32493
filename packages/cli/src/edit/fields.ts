import { LIMIT_NAMES } from '@sluice/contracts';
import type { FileKind } from '../apply/file-kinds.ts';
import { UsageError } from '../command.ts';

/** A document while it is edited. The schema of its kind checks the result. */
export type Draft = Record<string, unknown>;

/** A field of a document as an option. */
export interface Field {
  /** The value in the help text. */
  readonly value: string;
  readonly help: string;
  /** The option may be repeated. */
  readonly multiple?: boolean;
  readonly edit: (draft: Draft, texts: readonly string[]) => void;
}

export type Fields = Readonly<Record<string, Field>>;

/** The value that removes a field. */
const DEFAULT = 'default';
const UNLIMITED = 'unlimited';

/** A field of the document, or a field of an object in it: `path` has one or two names. */
function field(
  path: readonly [string] | readonly [string, string],
  { value, help, read }: Pick<Field, 'value' | 'help'> & { read: (text: string) => unknown },
): Field {
  return {
    value,
    help,
    edit: (draft, [text = '']) => {
      const [name, inner] = path;
      const parent = inner === undefined ? draft : { ...asDraft(draft[name]) };
      if (text === DEFAULT) Reflect.deleteProperty(parent, inner ?? name);
      else parent[inner ?? name] = read(text);
      if (inner !== undefined) draft[name] = parent;
    },
  };
}

function asDraft(value: unknown): Draft {
  return { ...(typeof value === 'object' ? value : {}) };
}

function text(name: string, value: string, help: string): Field {
  return field([name], { value, help, read: (given) => given });
}

function number(name: string, help: string, value = 'N'): Field {
  return field([name], { value, help, read: readNumber });
}

function readNumber(given: string): number {
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isFinite(value)) return value;
  throw new UsageError(`'${given}' is not a number`);
}

/** The schema refuses every other text. */
function readYesNo(given: string): boolean | string {
  if (given === 'yes') return true;
  return given === 'no' ? false : given;
}

function readBound(given: string): number | null {
  return given === UNLIMITED ? null : readNumber(given);
}

function list(name: string, value: string, help: string): Field {
  return { value, help, multiple: true, edit: (draft, texts) => (draft[name] = [...texts]) };
}

/** The four limits. `fallback` says what the value `default` means. */
export function limitFields(fallback: string): Fields {
  return Object.fromEntries(
    LIMIT_NAMES.map((name) => [
      name.replaceAll('_', '-'),
      field(['limits', name], {
        value: 'N',
        help: `${name.replaceAll('_', ' ')}: a number, unlimited, or default (${fallback})`,
        read: readBound,
      }),
    ]),
  );
}

const SCHEDULING: Fields = {
  weight: number('weight', 'share of busy workers, or default'),
  class: number('scheduling_class', 'jobs of a higher class start first, or default'),
  slots: field(['slots_per_worker'], {
    value: 'N',
    help: 'slots of one worker at most: a number, unlimited, or default',
    read: readBound,
  }),
};

interface Member {
  readonly account: string;
  readonly active: boolean;
}

/** Changes the members that are named, and keeps the others. */
function members(help: string, change: (account: string) => Member | undefined): Field {
  return {
    value: 'ACCOUNT',
    help: `${help}; may be repeated`,
    multiple: true,
    edit: (draft, accounts) => {
      const present: readonly unknown[] = Array.isArray(draft['members']) ? draft['members'] : [];
      const others = present.filter(
        (member) => !accounts.includes(String(asDraft(member)['account'])),
      );
      draft['members'] = [...others, ...accounts.flatMap((account) => change(account) ?? [])];
    },
  };
}

export const FIELDS: Readonly<Record<FileKind, Fields>> = {
  plans: {
    ...limitFields('unlimited'),
    model: list('models', 'PATTERN', 'a model id or a pattern such as *; may be repeated'),
    credential: list('credentials', 'KIND', 'api_key or playground; may be repeated'),
    ...SCHEDULING,
  },
  models: {
    'owned-by': text('owned_by', 'TEXT', 'the owner that clients see'),
    pool: text('pool', 'POOL', 'the pool of workers that serve it'),
    'runtime-model': text('runtime_model', 'NAME', 'its name at the runtime'),
    'context-length': number('context_length', 'tokens, or default'),
    'max-output-tokens': number('max_output_tokens', 'tokens, or default'),
    'input-token-ratio': number(
      'input_token_ratio',
      'estimated tokens per byte of input, or default',
    ),
    'wake-timeout': number('wake_timeout', 'seconds to wait for a first worker, or default'),
    'shutdown-date': text('shutdown_date', 'DATE', 'removed at 00:00 UTC of this day, or default'),
  },
  accounts: {
    access: text('access', 'WHAT', 'granted or waiting'),
    onboarding: text('onboarding', 'WHAT', 'complete or pending'),
    restricted: field(['restricted'], {
      value: 'YES',
      help: 'yes or no. All requests of a restricted account are refused',
      read: readYesNo,
    }),
  },
  organizations: {
    plan: text('plan', 'PLAN', 'the id of its plan'),
    billing: text('billing', 'WHAT', 'ok, exhausted or conflict'),
    budget: field(['budget', 'monthly'], {
      value: 'AMOUNT',
      help: 'what it may spend in a month (UTC): an amount, or unlimited',
      read: (given) => (given === UNLIMITED ? null : given),
    }),
    retention: text('retention', 'WHAT', 'zero, standard or contributor'),
    member: members('an active member', (account) => ({ account, active: true })),
    'inactive-member': members('a member whose credentials are refused', (account) => ({
      account,
      active: false,
    })),
    'remove-member': members('no longer a member', () => undefined),
    ...SCHEDULING,
  },
  projects: {
    organization: text('organization', 'ORGANIZATION', 'the organization that owns it, for good'),
  },
};

/** Options for `parseArgs`. */
export function fieldOptions(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { multiple = false }]) => [
      name,
      { type: 'string', multiple } as const,
    ]),
  );
}

export function fieldsHelp(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, { value, help }]) => {
      const option = `  --${name} ${value}`;
      return option.length < 20 ? option.padEnd(20) + help : `${option}\n${' '.repeat(20)}${help}`;
    })
    .join('\n');
}

/** The change of a document that the options ask for. Undefined if they ask for none. */
export function readEdit(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
): ((draft: Draft) => void) | undefined {
  const given = Object.entries(fields).filter(([name]) => values[name] !== undefined);
  if (given.length === 0) return undefined;
  return (draft) => {
    for (const [name, { edit }] of given) {
      const value = values[name];
      try {
        edit(draft, (Array.isArray(value) ? value : [value]).map(String));
      } catch (error) {
        if (error instanceof UsageError) throw new UsageError(`--${name}: ${error.message}`);
        throw error;
      }
    }
  };
}
