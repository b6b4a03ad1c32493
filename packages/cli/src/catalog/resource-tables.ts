import {
  LIMIT_NAMES,
  type ModelTarget,
  type ResourceKind,
  type ResourceOf,
} from '@sluice/contracts';
import { dateText, limitText } from '../readable-values.ts';
import type { Colour, Screen } from '../screen.ts';
import { table } from '../table.ts';

type Rows = {
  readonly [Kind in ResourceKind]: {
    readonly head: readonly string[];
    readonly row: (document: ResourceOf<Kind>) => readonly string[];
  };
};

const ROWS: Rows = {
  plans: {
    head: [
      'plan',
      'req/min',
      'req/day',
      'tok/min',
      'tok/day',
      'models',
      'credentials',
      'scheduling',
    ],
    row: ({ id, limits, models, credentials, ...plan }) => [
      id,
      ...LIMIT_NAMES.map((name) => limitText(limits[name])),
      models.join(' '),
      credentials.join(' '),
      schedulingText(plan),
    ],
  },
  models: {
    head: ['model', 'owner', 'pool', 'runtime model', 'context', 'output', 'reasoning', 'shutdown'],
    row: (model) => [
      model.id,
      model.owned_by,
      model.targets?.map(shareText).join(', ') ?? model.pool,
      model.targets?.map(({ runtime_model }) => runtime_model).join(', ') ?? model.runtime_model,
      String(model.context_length ?? '-'),
      String(model.max_output_tokens ?? '-'),
      model.reasoning === undefined ? '-' : model.reasoning.supported_efforts.join(' '),
      model.shutdown_date ?? '-',
    ],
  },
  accounts: {
    head: ['account', 'access', 'onboarding', 'restricted'],
    row: ({ id, access, onboarding, restricted }) => [id, access, onboarding, yesNo(restricted)],
  },
  organizations: {
    head: ['organization', 'plan', 'billing', 'retention', 'own limits', 'scheduling', 'members'],
    row: ({ id, plan, billing, retention, limits, members, ...own }) => [
      id,
      plan,
      billing,
      retention,
      LIMIT_NAMES.filter((name) => limits[name] !== undefined)
        .map((name) => `${name}=${limitText(limits[name] ?? null)}`)
        .join(' ') || '-',
      schedulingText(own),
      members.map(({ account, active }) => (active ? account : `(${account})`)).join(' ') || '-',
    ],
  },
  projects: {
    head: ['project', 'organization'],
    row: ({ id, organization }) => [id, organization],
  },
  api_keys: {
    head: ['key', 'ends in', 'project', 'name', 'state', 'creator', 'created'],
    row: (key) => [
      key.id,
      `…${key.last_four}`,
      key.project,
      key.name === '' ? '-' : key.name,
      keyState(key),
      key.creator,
      dateText(key.created_at_ms),
    ],
  },
};

export function resourceTable<Kind extends ResourceKind>(
  kind: Kind,
  documents: readonly ResourceOf<Kind>[],
  screen?: Screen,
): string {
  const { head, row } = ROWS[kind];
  return table(head, documents.map(row), { screen, colourOf });
}

/** Colours for states that prevent requests. */
function colourOf(cell: string, title: string): Colour | undefined {
  if (title === 'state') return cell.startsWith('works') ? 'green' : 'dim';
  if (title === 'billing' && cell !== 'ok') return 'red';
  if (title === 'access' && cell !== 'granted') return 'yellow';
  return undefined;
}

/** The pool of a target and its share of the requests, such as `large 95%`. */
function shareText({ pool, weight }: ModelTarget, _index: number, all: readonly ModelTarget[]) {
  const total = all.reduce((sum, target) => sum + target.weight, 0);
  return `${pool} ${Number(((100 * weight) / total).toFixed(1))}%`;
}

function keyState({ revoked_at_ms, expires_at_ms }: ResourceOf<'api_keys'>): string {
  if (revoked_at_ms !== null) return `revoked ${dateText(revoked_at_ms)}`;
  if (expires_at_ms === null) return 'works';
  return `${expires_at_ms <= Date.now() ? 'expired' : 'works until'} ${dateText(expires_at_ms)}`;
}

interface SchedulingFields {
  readonly weight?: number | undefined;
  readonly scheduling_class?: number | undefined;
  readonly slots_per_worker?: number | null | undefined;
}

/** The fields that are set, such as `weight=3 class=2`. */
function schedulingText({ weight, scheduling_class, slots_per_worker: slots }: SchedulingFields) {
  const set = [
    weight === undefined ? [] : [`weight=${weight}`],
    scheduling_class === undefined ? [] : [`class=${scheduling_class}`],
    slots === undefined ? [] : [`slots=${slots ?? 'unlimited'}`],
  ].flat();
  return set.join(' ') || '-';
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
