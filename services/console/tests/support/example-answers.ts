import type { Answers } from '../../src/answers/answers.ts';
import { routes, type RouteName, type RouteReply } from '../../src/api/routes.ts';

/** Names that people and programs choose. If they contain HTML, every page must show it as text. */
export interface ExampleNames {
  readonly key: string;
  readonly project: string;
  readonly organization: string;
  readonly model: string;
  readonly person: string;
  readonly worker: string;
}

export const plainNames: ExampleNames = {
  key: 'Web shop',
  project: 'Production',
  organization: 'Northwind Labs',
  model: 'qwen/qwen3-32b',
  person: 'Ada Lovelace',
  worker: 'gpu-07',
};

export interface ExampleOptions {
  readonly names: ExampleNames;
  /** How many rows a page of a list has. */
  readonly pageRows: number;
  /** How many rows a list has on all pages. */
  readonly total: number;
  readonly workers: number;
  /** Whether lists, usage and the fleet are empty. */
  readonly empty: boolean;
  /** Whether completions are refused because the budget is spent. */
  readonly budgetSpent?: boolean;
  readonly now: number;
}

const hour = 3_600_000;
const day = 24 * hour;

/** Answers of the API for tests of the pages and for screenshots. The schemas of the routes check them. */
export function exampleAnswers(options: ExampleOptions): Answers {
  const { names, now, empty } = options;
  const rows = <Row>(row: (index: number) => Row, most = options.pageRows): Row[] =>
    Array.from({ length: empty ? 0 : Math.min(most, options.total) }, (_, index) => row(index));
  const pageEnd = {
    next_page: !empty && options.total > options.pageRows ? 'next' : null,
    total: empty ? 0 : options.total,
  };
  const numbered = (name: string, index: number): string =>
    index === 0 ? name : `${name} ${index + 1}`;
  const document = (kind: string, index: number): Record<string, unknown> =>
    kind === 'models'
      ? {
          id: numbered(names.model, index),
          owned_by: 'qwen',
          pool: 'default',
          context_length: 131_072,
        }
      : kind === 'plans'
        ? { id: numbered('standard', index), requests_per_minute: 600, tokens_per_minute: 400_000 }
        : kind === 'organizations'
          ? { id: `org-${index}`, name: numbered(names.organization, index), plan: 'standard' }
          : { id: `proj-${index}`, name: numbered(names.project, index), organization: 'org-0' };
  const resource = (kind: string, index: number) => ({
    id: String(document(kind, index)['id']),
    sequence: 40 + index,
    document: document(kind, index),
  });
  const projects = rows(
    (index) => ({ id: `proj-${index}`, name: numbered(names.project, index), active_keys: 3 }),
    3,
  );
  const key = (index: number) => ({
    id: `key-${index}`,
    name: numbered(names.key, index),
    project: 'proj-0',
    creator: 'acc-ada',
    creator_name: names.person,
    last_four: ['x7Qm', 'p2Lc', 'Zt90', 'mm4K'][index % 4] ?? 'x7Qm',
    state:
      index === 3 ? ('revoked' as const) : index === 2 ? ('expired' as const) : ('active' as const),
    created_at_ms: now - (index + 3) * day,
    expires_at_ms: index % 3 === 2 ? now - day : index % 3 === 1 ? now + 20 * day : null,
    revoked_at_ms: index === 3 ? now - hour : null,
    last_used_at_ms: index % 4 === 3 ? null : now - (index + 1) * 95_000,
    can_revoke: true,
  });
  const request = (index: number) => ({
    id: `req_${String(index).padStart(6, '0')}`,
    received_at_ms: now - index * 73_000,
    project: 'proj-0',
    credential: 'key-0',
    operation: 'chat.completions',
    model: names.model,
    stream: index % 2 === 0,
    outcome:
      ['completed', 'completed', 'refused', 'completed', 'failed', 'cancelled'][index % 6] ?? '',
    code: index % 6 === 2 ? 'rate_limit_exceeded' : index % 6 === 4 ? 'upstream_unavailable' : null,
    input_tokens: 812 + index * 37,
    cached_tokens: 512,
    output_tokens: index % 6 === 2 ? 0 : 344 + index * 11,
    reasoning_tokens: 120,
    delivered_tokens: 344,
    counted: index % 6 !== 4,
    first_token_ms: index % 6 === 2 ? null : 184 + index * 3,
    duration_ms: 2_380 + index * 41,
    spend: index % 6 === 5 ? null : index % 6 === 2 ? '0' : (0.00041 * (index + 1)).toFixed(6),
  });
  const fresh = { unread_messages: 0, lag_seconds: 0 };
  const sums = (weight: number) => ({
    requests: Math.round(412 * weight),
    completed: Math.round(400 * weight),
    cancelled: Math.round(4 * weight),
    failed: Math.round(3 * weight),
    refused: Math.round(5 * weight),
    input_tokens: Math.round(381_200 * weight),
    cached_tokens: Math.round(140_400 * weight),
    output_tokens: Math.round(122_900 * weight),
    reasoning_tokens: Math.round(60_100 * weight),
    delivered_tokens: Math.round(122_000 * weight),
    spend: (1.84 * weight).toFixed(4),
    unpriced: 0,
  });
  const audit = (index: number) => ({
    sequence: 900 - index,
    at_ms: now - index * 41 * 60_000,
    who: index % 2 === 0 ? 'account:acc-ada' : 'deploy',
    action: ['create', 'update', 'revoke'][index % 3] ?? 'update',
    kind: ['keys', 'plans', 'models'][index % 3] ?? 'keys',
    id: index % 3 === 2 ? names.model : `id-${index}`,
    before: index % 3 === 0 ? null : { requests_per_minute: 300 },
    after: index % 3 === 2 ? null : { requests_per_minute: 600, name: names.key },
  });
  const states = ['ready', 'full', 'ready', 'draining', 'silent'] as const;
  const worker = (index: number) => ({
    worker: `${index % 2 === 0 ? 'default' : 'large'}.w${index}`,
    name: numbered(names.worker, index),
    pool: index % 2 === 0 ? 'default' : 'large',
    host: `rack-${index % 7}.gpu`,
    runtime: `127.0.0.1:${8_000 + index}`,
    version: '0.2.0',
    models: [names.model, 'embed/mini'],
    state: states[index % 5] ?? ('ready' as const),
    slots: 16,
    running: (index * 5) % 17,
    queued: index % 4,
    queue_limit: 64,
    tokens_per_second: 812.4 + index,
    runtime_load: { running: index % 16, waiting: index % 3, cache_use: 0.43 },
    heard_ms_ago: index % 5 === 4 ? 14_000 : 400,
  });
  const workers = Array.from({ length: empty ? 0 : options.workers }, (_, index) => worker(index));
  const organization = {
    id: 'org-0',
    name: names.organization,
    personal: false,
    plan: 'standard',
    role: 'owner' as const,
    retention: 'zero' as const,
    billing: 'ok' as const,
    billing_refusal: options.budgetSpent === true ? ('insufficient_quota' as const) : null,
    budget: { monthly: '250', thresholds: [50, 80, 100], hard: true },
    webhooks: empty ? [] : [{ id: 'hook-1', url: 'https://example.com/hooks/budget' }],
  };
  const done = async () => ({});
  return checked({
    completeOnboarding: done,
    describeInvitation: async () => ({
      organization: 'org-0',
      organization_name: names.organization,
      role: 'member',
      expires_at_ms: now + 3 * day,
    }),
    acceptInvitation: async () => ({ organization: 'org-0', role: 'member' }),
    exportOwnData: async () => ({}),
    getOrganization: async () => organization,
    changeOrganization: async () => organization,
    deleteOrganization: done,
    createWebhook: async () => ({
      webhook: { id: 'hook-2', url: 'https://example.com/hooks' },
      secret: 'whsec_example',
    }),
    deleteWebhook: done,
    listMembers: async () => ({
      members: (['owner', 'admin', 'member', 'viewer'] as const).map((role, index) => ({
        account: index === 0 ? 'acc-ada' : `acc-${index}`,
        name: [names.person, 'Grace Hopper', 'Alan Turing', 'Mary Jackson'][index] ?? '',
        email: `person-${index}@example.com`,
        role,
        active: index !== 3,
      })),
      next_page: null,
    }),
    changeMember: done,
    removeMember: done,
    listInvitations: async () => ({
      invitations: rows(
        (index) => ({
          id: `inv-${index}`,
          role: 'member' as const,
          email: index === 0 ? 'katherine@example.com' : null,
          invited_by: 'acc-ada',
          created_at_ms: now - day,
          expires_at_ms: now + 6 * day,
        }),
        2,
      ),
    }),
    createInvitation: async () => ({
      invitation: {
        id: 'inv-9',
        role: 'member',
        email: null,
        invited_by: 'acc-ada',
        created_at_ms: now,
        expires_at_ms: now + 7 * day,
      },
      url: 'https://console.example.com/invitation#token',
    }),
    revokeInvitation: done,
    listProjects: async () => ({ projects, next_page: null }),
    createProject: async () => ({ id: 'proj-9', name: 'New', active_keys: 0 }),
    renameProject: async () => ({ id: 'proj-0', name: names.project, active_keys: 3 }),
    deleteProject: done,
    listKeys: async () => ({ keys: rows(key), ...pageEnd, last_use_known: true }),
    createKey: async () => ({ key: key(0), secret: 'sk-sluice-example-4f1c9a7be0d2' }),
    revokeKey: done,
    issuePlaygroundCredential: async () => ({
      token: 'pg-example',
      expires_at_ms: Date.now() + 600_000,
    }),
    listModels: async () => ({
      models: [
        {
          id: names.model,
          object: 'model',
          created: 0,
          owned_by: 'qwen',
          shutdown_date: null,
          context_length: 131_072,
          reasoning: { supported_efforts: ['low', 'medium', 'high'], default_effort: 'medium' },
        },
      ],
    }),
    getLimits: async () => ({
      limits: {
        requests_per_minute: { limit: 600, remaining: 512, reset_ms: 8_800 },
        requests_per_day: { limit: 100_000, remaining: 91_204, reset_ms: 31_000_000 },
        tokens_per_minute: { limit: 400_000, remaining: 71_300, reset_ms: 49_300 },
        tokens_per_day: null,
      },
      at_ms: now,
    }),
    getUsage: async ({ query }) => {
      const length = query.by[0] === 'hour' ? hour : query.by[0] === 'month' ? 30.4 * day : day;
      const starts = Array.from(
        { length: empty ? 0 : Math.ceil((query.until - query.since) / length) },
        (_, index) => query.since + index * length,
      );
      const splits = query.by.length === 2 ? [names.model, names.key, names.project] : [undefined];
      return {
        groups: starts.flatMap((start, index) =>
          splits.map((split, place) => {
            const at = new Date(start).toISOString().replace('.000', '');
            const weight = (0.55 + 0.45 * Math.sin(index * 0.9 + place)) / (place + 1);
            return {
              names: split === undefined ? [at] : [at, `id-${place}`],
              labels: split === undefined ? [at] : [at, split],
              sums: sums(Math.max(0.05, weight)),
            };
          }),
        ),
        total: sums(empty ? 0 : starts.length * 0.6),
        since_ms: query.since,
        until_ms: query.until,
        groups_left_out: 0,
        currency: 'EUR',
        freshness: fresh,
      };
    },
    getUsageFile: async () => 'day,requests\n',
    listRequests: async () => ({
      requests: rows(request),
      ...pageEnd,
      currency: 'EUR',
      freshness: fresh,
    }),
    getRequest: async () => ({
      request: {
        ...request(4),
        gateway: 'gateway-2',
        target: 'default',
        offers: 2,
        refused_offers: 1,
        estimated_input_tokens: 930,
        status: 503,
        refused_by: null,
        wait_ms: 0,
        tried: [
          {
            worker: 'default.w1',
            name: names.worker,
            target: 'default',
            after_ms: 2,
            took_ms: 3,
            ended: 'refused',
            reason: 'queue_full',
          },
          {
            worker: 'default.w2',
            name: 'gpu-09',
            target: 'default',
            after_ms: 6,
            took_ms: 2_300,
            ended: 'failed',
            reason: 'runtime_unavailable',
          },
        ],
        limits: [
          { name: 'requests_per_minute', limit: 600, remaining: 512 },
          { name: 'tokens_per_minute', limit: 400_000, remaining: 71_300 },
        ],
      },
      attempts: [
        {
          id: 'req_000004-1',
          accepted_at_ms: now - 290_000,
          worker: 'default.w2',
          name: 'gpu-09',
          model: names.model,
          ended: 'failed',
          reason: 'runtime_unavailable',
          generated_tokens: 118,
          queued_ms: 41,
          ran_ms: 2_240,
        },
      ],
      currency: 'EUR',
      freshness: fresh,
    }),
    getFleet: async () => ({
      connected: true,
      pools: empty
        ? []
        : ['default', 'large'].map((pool) => {
            const own = workers.filter((each) => each.pool === pool);
            const sum = (count: (each: (typeof workers)[number]) => number): number =>
              own.reduce((total, each) => total + count(each), 0);
            return {
              pool,
              workers: own.length,
              slots: sum(({ slots }) => slots),
              running: sum(({ running }) => running),
              queued: sum(({ queued }) => queued),
              tokens_per_second: sum(({ tokens_per_second: rate }) => rate),
            };
          }),
      workers,
    }),
    drainWorker: done,
    undrainWorker: done,
    listAccounts: async () => ({
      accounts: rows((index) => ({
        id: `acc-${index}`,
        name: numbered(names.person, index),
        email: `person-${index}@example.com`,
        access: index % 3 === 1 ? 'waiting' : 'granted',
        onboarding: index % 3 === 1 ? 'pending' : 'complete',
        restricted: index === 4,
        operator: index === 0,
        linked: index !== 2,
        created_at_ms: now - index * day,
        terms_accepted_at_ms: index % 3 === 1 ? null : now - index * day,
      })),
      ...pageEnd,
    }),
    changeAccount: done,
    exportPersonalData: async () => ({}),
    listAudit: async () => ({ records: rows(audit), ...pageEnd }),
    listResources: async ({ params }) => ({
      resources: rows((index) => resource(params.kind, index)),
      ...pageEnd,
    }),
    getResource: async ({ params }) => ({
      resource: { ...resource(params.kind, 0), id: params.id },
    }),
    createResource: async ({ params }) => ({ resource: resource(params.kind, 0) }),
    replaceResource: async ({ params }) => ({ resource: resource(params.kind, 0) }),
    deleteResource: done,
  });
}

/** Throws if an example does not match the schema of its route, because no page could then look like this. */
function checked(answers: Answers): Answers {
  const entries = Object.entries(answers) as [
    RouteName,
    (...given: unknown[]) => Promise<RouteReply<RouteName>>,
  ][];
  return Object.fromEntries(
    entries.map(([name, answer]) => [
      name,
      async (...given: unknown[]) => routes[name].reply.parse(await answer(...given)),
    ]),
  ) as unknown as Answers;
}
