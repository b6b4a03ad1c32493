import { randomBytes } from 'node:crypto';
import type { Account, Organization, Plan, ResourceKind } from '@sluice/contracts';
import type { TestStack } from '@sluice/devkit';
import { connectCatalogAdmin, type CatalogAdminClient } from '@sluice/rpc';
import { RawClient } from '../raw-client.ts';

// The models of the suite. The simulated runtime serves all of them except `LONELY_MODEL`.
const PLAIN_MODEL = 'sluice-small';
export const REASONING_MODEL = 'sluice-demo';
export const STRICT_MODEL = 'sluice-strict';
/** Has a slash in its id and a small context, and announces everything. */
export const SMALL_MODEL = 'suite/small';
export const SMALL_CONTEXT = 2_000;
export const SMALL_OUTPUT = 1_000;
/** Announces as little as possible. */
export const BARE_MODEL = 'suite/bare';
/** Its shutdown date has passed. */
export const GONE_MODEL = 'suite/gone';
/** Its pool has no worker. */
export const LONELY_MODEL = 'suite/lonely';

export type JsonBody = Readonly<Record<string, unknown>>;

/** A user message to which the simulated runtime gives a short answer. */
export const SHORT = 'Hello\n@sim {"tokens": 2}';

export interface TenantOptions {
  readonly plan?: Partial<Plan>;
  readonly organization?: Partial<Organization>;
  /** Applied after the key was created, because an account that waits for access cannot create one. */
  readonly account?: Partial<Account>;
  readonly inactive?: boolean;
}

export interface Tenant {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
}

/** A running stack, with methods that create organizations in every state and send requests. */
export class World implements AsyncDisposable {
  readonly stack: TestStack;
  readonly admin: CatalogAdminClient;

  constructor(stack: TestStack) {
    this.stack = stack;
    this.admin = connectCatalogAdmin({ address: stack.adminAddress, token: stack.adminToken });
  }

  static async open(stack: TestStack): Promise<World> {
    const world = new World(stack);
    await world.admin.ready();
    const model = { owned_by: 'suite', pool: 'default', runtime_model: PLAIN_MODEL };
    await world.create('models', {
      ...model,
      id: SMALL_MODEL,
      created: 1_700_000_000,
      shutdown_date: '2999-12-31',
      context_length: SMALL_CONTEXT,
      max_output_tokens: SMALL_OUTPUT,
      default_parameters: { max_tokens: 500 },
      reasoning: { supported_efforts: ['low', 'high'], default_effort: 'low', mandatory: false },
    });
    await world.create('models', { ...model, id: BARE_MODEL });
    await world.create('models', { ...model, id: GONE_MODEL, shutdown_date: '2020-01-01' });
    await world.create('models', { ...model, id: LONELY_MODEL, pool: 'nowhere' });
    return world;
  }

  async create(kind: ResourceKind, document: { id: string } & JsonBody): Promise<void> {
    await this.admin.createResource({ kind, id: document.id, document: JSON.stringify(document) });
  }

  async update(kind: ResourceKind, document: { id: string } & JsonBody): Promise<void> {
    await this.admin.updateResource({ kind, id: document.id, document: JSON.stringify(document) });
  }

  /** Creates an organization with a key. By default, it has no limits. */
  async tenant({ plan, organization, account, inactive }: TenantOptions = {}): Promise<Tenant> {
    const id = `t${randomBytes(6).toString('hex')}`;
    const member = { id, access: 'granted', onboarding: 'complete' };
    const described = { plan: id, ...organization, id };
    await this.create('plans', { limits: {}, ...plan, id });
    await this.create('accounts', member);
    await this.create('organizations', { ...described, members: [{ account: id, active: true }] });
    await this.create('projects', { id, organization: id });
    const { key, id: keyId } = await this.admin.createApiKey({
      project: id,
      name: 'suite',
      creator: id,
    });
    if (account !== undefined) await this.update('accounts', { ...member, ...account, id });
    if (inactive === true) {
      await this.update('organizations', {
        ...described,
        members: [{ account: id, active: false }],
      });
    }
    return { id, key, keyId };
  }

  /** Sends a request. The default credential is the key of the demo organization; null sends none. */
  async request(
    path: string,
    { credential = this.stack.apiKey, ...init }: RequestInit & { credential?: string | null } = {},
  ): Promise<Response> {
    return fetch(`${this.stack.apiRoot}${path}`, {
      ...init,
      headers: {
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...(init.headers as Record<string, string>),
      },
    });
  }

  /** A plain completion, with this change to its body. */
  async complete(change: JsonBody = {}, credential?: string): Promise<Response> {
    return this.send(JSON.stringify({ ...PLAIN_REQUEST, ...change }), credential);
  }

  /** A completion with exactly this body. */
  async send(body: string | Uint8Array<ArrayBuffer>, credential?: string): Promise<Response> {
    return this.request('/chat/completions', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      ...(credential === undefined ? {} : { credential }),
    });
  }

  async raw(): Promise<RawClient> {
    return RawClient.connect(Number(new URL(this.stack.baseUrl).port));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.admin[Symbol.asyncDispose]();
  }
}

export const PLAIN_REQUEST = {
  model: PLAIN_MODEL,
  messages: [{ role: 'user', content: SHORT }],
} as const;
