import { CatalogModel } from '@sluice/contracts';
import { waitUntil } from '@sluice/devkit';
import type { CatalogAdminClient } from '@sluice/rpc';
import * as z from 'zod';
import { MODEL, getModels, type ApiReply } from './api-requests.ts';
import { create, update } from './example-resources.ts';

/** A change at a catalog, and how to recognize it in a reply of a gateway. */
export interface WatchedChange {
  readonly what: string;
  readonly key: string;
  readonly make: () => Promise<unknown>;
  readonly isSeenIn: (reply: ApiReply) => boolean;
}

/** The times in milliseconds from the request of a change until each gateway applies it. */
export async function timesUntilSeen(
  apiRoots: readonly string[],
  changes: readonly WatchedChange[],
  timeoutMs: number,
): Promise<number[]> {
  const look = async (apiRoot: string, { key }: WatchedChange) => getModels(apiRoot, key, MODEL);
  const pairs = changes.flatMap((change) => apiRoots.map((apiRoot) => ({ apiRoot, change })));
  // Every gateway has just cached the old answer.
  for (const { apiRoot, change } of pairs) {
    if (change.isSeenIn(await look(apiRoot, change))) {
      throw new Error(`${change.what} is seen before it is made`);
    }
  }
  const startedAt = performance.now();
  const making = Promise.all(changes.map(async ({ make }) => make()));
  const watching = Promise.all(
    pairs.map(async ({ apiRoot, change }) => {
      await waitUntil(async () => change.isSeenIn(await look(apiRoot, change)), {
        what: `${change.what} to be seen at ${apiRoot}`,
        timeoutMs,
        everyMs: 5,
      });
      return performance.now() - startedAt;
    }),
  );
  const [times] = await Promise.all([watching, making]);
  // No gateway returns to the old answer.
  for (const { apiRoot, change } of pairs) {
    if (!change.isSeenIn(await look(apiRoot, change))) {
      throw new Error(`${change.what} was seen at ${apiRoot}, and then was not`);
    }
  }
  return times;
}

const SeenModel = z.object({ created: z.int() });
const CHANGE_KINDS = ['revocation', 'planChange', 'limitChange', 'restriction'] as const;

/** An organization with all kinds of changes that must be seen at once. */
export class WatchedTenant {
  readonly #id: string;
  readonly #key: string;
  #isWide = true;
  #requestsPerMinute = 100_000;
  #isRestricted = false;

  private constructor(id: string, key: string) {
    this.#id = id;
    this.#key = key;
  }

  static async make(admin: CatalogAdminClient, id: string): Promise<WatchedTenant> {
    await create(admin, 'plans', { id: `${id}-wide`, limits: {}, models: ['*'] });
    await create(admin, 'plans', { id: `${id}-narrow`, limits: {}, models: [] });
    await create(admin, 'accounts', { id, access: 'granted', onboarding: 'complete' });
    const members = [{ account: id }];
    const limits = { requests_per_minute: 100_000 };
    await create(admin, 'organizations', { id, plan: `${id}-wide`, limits, members });
    await create(admin, 'projects', { id, organization: id });
    const { key } = await admin.createApiKey({ project: id, name: 'watched', creator: id });
    return new WatchedTenant(id, key);
  }

  /** Revokes a new key. `maker` is the catalog that creates it. */
  async revocation(
    admin: CatalogAdminClient,
    maker: CatalogAdminClient = admin,
  ): Promise<WatchedChange> {
    const request = { project: this.#id, name: 'brief', creator: this.#id };
    const { id, key } = await maker.createApiKey(request);
    return {
      what: 'a revocation',
      key,
      make: () => admin.revokeApiKey({ id }),
      isSeenIn: ({ status }) => status === 401,
    };
  }

  planChange(admin: CatalogAdminClient): WatchedChange {
    const isWide = !this.#isWide;
    this.#isWide = isWide;
    return {
      what: 'a plan change',
      key: this.#key,
      make: () => this.#writeOrganization(admin),
      isSeenIn: ({ status }) => status === (isWide ? 200 : 404),
    };
  }

  /** Changes the watched model, which all organizations have. */
  async modelChange(admin: CatalogAdminClient): Promise<WatchedChange> {
    const { document } = await admin.getResource({ kind: 'models', id: MODEL });
    const model = CatalogModel.parse(JSON.parse(document));
    const created = model.created + 1;
    return {
      what: 'a change of a model',
      key: this.#key,
      make: () => update(admin, 'models', { ...model, created }),
      isSeenIn: ({ body }) => SeenModel.parse(body).created === created,
    };
  }

  limitChange(admin: CatalogAdminClient): WatchedChange {
    this.#requestsPerMinute += 1;
    const limit = String(this.#requestsPerMinute);
    return {
      what: 'a limit change',
      key: this.#key,
      make: () => this.#writeOrganization(admin),
      isSeenIn: ({ headers }) => headers.get('x-ratelimit-limit-requests') === limit,
    };
  }

  /** Restricts the account, or lifts its restriction. */
  restriction(admin: CatalogAdminClient): WatchedChange {
    const restricted = !this.#isRestricted;
    this.#isRestricted = restricted;
    const document = { id: this.#id, access: 'granted', onboarding: 'complete', restricted };
    return {
      what: 'a restriction',
      key: this.#key,
      make: () => update(admin, 'accounts', document),
      isSeenIn: ({ status }) => (status === 403) === restricted,
    };
  }

  #writeOrganization(admin: CatalogAdminClient): Promise<unknown> {
    return update(admin, 'organizations', {
      id: this.#id,
      plan: `${this.#id}-${this.#isWide ? 'wide' : 'narrow'}`,
      limits: { requests_per_minute: this.#requestsPerMinute },
      members: [{ account: this.#id }],
    });
  }
}

/** Makes each change in turn at alternating catalogs. Returns the time of each one at each gateway. */
export async function runRounds(
  tenant: WatchedTenant,
  rounds: number,
  {
    admins,
    apiRoots,
    timeoutMs,
  }: {
    readonly admins: readonly CatalogAdminClient[];
    readonly apiRoots: readonly string[];
    readonly timeoutMs: number;
  },
): Promise<number[]> {
  const times: number[] = [];
  let turn = 0;
  const next = (): CatalogAdminClient => {
    const admin = admins[turn % admins.length];
    if (admin === undefined) throw new Error('no catalog was given');
    turn += 1;
    return admin;
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of CHANGE_KINDS) {
      const change = await tenant[kind](next());
      times.push(...(await timesUntilSeen(apiRoots, [change], timeoutMs)));
    }
    // The last change restricted the account. The restriction is lifted, so that each round starts from the same state.
    const release = tenant.restriction(next());
    times.push(...(await timesUntilSeen(apiRoots, [release], timeoutMs)));
    // Five changes alternate between two catalogs, so the next round makes each one at the other catalog.
  }
  return times;
}
