import type { CatalogAdminClient } from '@sluice/rpc';
import { createTenant, type Tenant } from '../programs/tenant.ts';
import { LimitModel } from './limit-model.ts';
import type { Random } from './random.ts';
import { Tally } from './tally.ts';
import {
  TIGHT_LIMITS,
  revokingUser,
  greedyUser,
  mixedUser,
  type Revocation,
  type UserContext,
} from './users.ts';

const GREEDY_USERS = 3;

export interface SoakClientsOptions {
  readonly admin: CatalogAdminClient;
  /** The address of the API at each gateway. */
  readonly apiRoots: readonly string[];
  readonly random: Random;
  /** Number of users that run all scenarios. */
  readonly users: number;
}

/** All clients of the run: users with ample limits, users with tight limits, and one that creates and revokes keys. */
export class SoakClients {
  readonly tally = new Tally();
  readonly model = new LimitModel(TIGHT_LIMITS);
  readonly revocations: Revocation[] = [];
  readonly tight: Tenant;
  readonly #options: SoakClientsOptions;
  readonly #ample: readonly Tenant[];

  private constructor(options: SoakClientsOptions, ample: readonly Tenant[], tight: Tenant) {
    this.#options = options;
    this.#ample = ample;
    this.tight = tight;
  }

  static async create(options: SoakClientsOptions): Promise<SoakClients> {
    const { admin } = options;
    const ample = [
      await createTenant(admin, 'ample-one'),
      await createTenant(admin, 'ample-two'),
      await createTenant(admin, 'ample-three'),
    ];
    return new SoakClients(options, ample, await createTenant(admin, 'tight', TIGHT_LIMITS));
  }

  get organizations(): ReadonlySet<string> {
    return new Set([...this.#ample, this.tight].map(({ organization }) => organization));
  }

  /** Starts all clients. The returned function stops them and waits for their last replies. */
  start(): () => Promise<void> {
    const { apiRoots, random, users, admin } = this.#options;
    const stopping = new AbortController();
    const context = (): UserContext => ({
      apiRoots,
      tally: this.tally,
      random: random.fork(),
      stopping: stopping.signal,
    });
    const running = [
      ...numbers(users).map((user) => mixedUser(context(), this.#tenantOf(user))),
      ...numbers(GREEDY_USERS).map(() => greedyUser(context(), this.tight, this.model)),
      revokingUser(context(), { tenant: this.#tenantOf(0), admin }, this.revocations),
    ];
    return async () => {
      stopping.abort();
      await Promise.all(running);
    };
  }

  #tenantOf(user: number): Tenant {
    return this.#ample[user % this.#ample.length] ?? this.tight;
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
