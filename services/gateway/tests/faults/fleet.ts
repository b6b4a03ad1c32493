import { randomBytes } from 'node:crypto';
import { HEARTBEAT_FRESH_MS, type ResourceKind } from '@sluice/contracts';
import { ServiceProcess, waitUntil } from '@sluice/devkit';
import { connectCatalogAdmin, readRpcClientTls, type CatalogAdminClient } from '@sluice/rpc';
import { findFreePort } from '@sluice/servers';
import * as z from 'zod';

type Settings = Readonly<Record<string, string>>;

export interface FleetOptions {
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly gateways?: number;
  readonly quotas?: number;
  readonly catalogs?: number;
  /** The limits of each organization. By default, there are none. */
  readonly limits?: Readonly<Record<string, number>>;
  /** The URLs of the runtimes. One worker is started for each. */
  readonly runtimes: readonly string[];
  /** Settings of quota and catalog, which gateways call. */
  readonly calledSettings?: Settings;
  readonly gatewaySettings?: Settings;
  /** Further settings of each gateway, in their order. */
  readonly settingsOfGateway?: readonly Settings[];
  readonly workerSettings?: Settings;
  /** Further fields of the catalog entry of {@link MODEL}. */
  readonly model?: Readonly<Record<string, unknown>>;
  /** The folder of the repository that a process is started from. By default, it is this repository. */
  readonly repositoryOf?: (service: ServiceName, index: number) => string | undefined;
}

export type ServiceName = 'gateway' | 'worker' | 'quota' | 'catalog';

/** The parts of /readyz of a gateway or a worker that tests read. */
const Health = z.object({
  /** Only for a worker: the models of its runtime. */
  models: z.array(z.string()).optional(),
  workers: z
    .array(
      z.object({
        models: z.array(z.string()),
        draining: z.boolean(),
        silent_ms: z.number(),
      }),
    )
    .optional(),
  load: z.object({ running: z.int(), queued: z.int() }).optional(),
  holdings: z.record(z.string(), z.int()),
  remembered: z.record(z.string(), z.int()),
  subscriptions: z.int(),
  ledger: z.object({ pending: z.int(), lost: z.int() }),
});
export type Health = z.infer<typeof Health>;

/** A process of the fleet. */
export interface FleetMember {
  readonly process: ServiceProcess;
  /** The URL of a gateway. */
  readonly url: string;
  readonly readyUrl: string;
  health(): Promise<Health>;
}

export interface Tenant {
  readonly organization: string;
  readonly key: string;
}

export const MODEL = 'sluice-demo';
const LOOPBACK = '127.0.0.1';
/** Timeout for services that are not part of the test, so that a pause of the machine causes no refusal. */
const LONG_TIMEOUT_MS = '5000';
const SETTLED_TIMEOUT_MS = 30_000;

/** Gateways and workers, each a process that is not restarted, and the services that they need. */
export class Fleet implements AsyncDisposable {
  readonly gateways: readonly FleetMember[];
  readonly workers: readonly FleetMember[];
  readonly quotas: readonly FleetMember[];
  readonly catalogs: readonly FleetMember[];
  readonly #stack: AsyncDisposableStack;
  readonly #admin: CatalogAdminClient;

  private constructor(
    stack: AsyncDisposableStack,
    admin: CatalogAdminClient,
    members: Pick<Fleet, 'gateways' | 'workers' | 'quotas' | 'catalogs'>,
  ) {
    this.#stack = stack;
    this.#admin = admin;
    this.gateways = members.gateways;
    this.workers = members.workers;
    this.quotas = members.quotas;
    this.catalogs = members.catalogs;
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    await using starting = new AsyncDisposableStack();
    const { natsUrl, redisUrl, runtimes } = options;
    const { gateways = 1, quotas = 1, catalogs = 1 } = options;
    const quotaPorts = await freePorts(quotas);
    const catalogPorts = await freePorts(catalogs);
    const adminPorts = await freePorts(catalogs);
    const adminToken = randomBytes(16).toString('hex');
    const begin = async (service: ServiceName, index: number, settings: Settings) => {
      const repository = options.repositoryOf?.(service, index);
      const member = await startMember(`${service}-${index + 1}`, service, settings, repository);
      starting.use(member.process);
      return member;
    };
    const limiters = quotaPorts.map((port, index) =>
      begin('quota', index, {
        HOST: LOOPBACK,
        PORT: port,
        REDIS_URL: redisUrl,
        REDIS_DEADLINE_MS: LONG_TIMEOUT_MS,
        ...options.calledSettings,
      }),
    );
    const directories = catalogPorts.map((port, index) =>
      begin('catalog', index, {
        HOST: LOOPBACK,
        PORT: port,
        ADMIN_HOST: LOOPBACK,
        ADMIN_PORT: adminPorts[index] ?? '',
        ADMIN_TOKENS: `tests:${adminToken}`,
        NATS_URL: natsUrl,
        ...options.calledSettings,
      }),
    );
    await Promise.allSettled([...limiters, ...directories]);
    const called = {
      quotas: await Promise.all(limiters),
      catalogs: await Promise.all(directories),
    };
    const admin = starting.use(
      connectCatalogAdmin({
        address: `${LOOPBACK}:${adminPorts[0] ?? ''}`,
        token: adminToken,
        // The same trusted authorities as for gateways.
        tls: readRpcClientTls(options.gatewaySettings ?? {}),
      }),
    );
    await seed(admin, options);
    const workers = runtimes.map((runtime, index) =>
      begin('worker', index, {
        NATS_URL: natsUrl,
        RUNTIME_URL: runtime,
        ...options.workerSettings,
      }),
    );
    const gatewayMembers = Array.from({ length: gateways }, async (_, index) =>
      begin('gateway', index, {
        HOST: LOOPBACK,
        PORT: String(await findFreePort()),
        NATS_URL: natsUrl,
        QUOTA_ADDRESSES: addressesOf(quotaPorts),
        CATALOG_ADDRESSES: addressesOf(catalogPorts),
        QUOTA_DEADLINE_MS: LONG_TIMEOUT_MS,
        CATALOG_DEADLINE_MS: LONG_TIMEOUT_MS,
        ...options.gatewaySettings,
        ...options.settingsOfGateway?.[index],
      }),
    );
    await Promise.allSettled([...workers, ...gatewayMembers]);
    const members = {
      workers: await Promise.all(workers),
      gateways: await Promise.all(gatewayMembers),
    };
    return new Fleet(starting.move(), admin, { ...members, ...called });
  }

  get members(): readonly FleetMember[] {
    return [...this.gateways, ...this.workers];
  }

  /** Creates an organization with a key and without limits. */
  async tenant(): Promise<Tenant> {
    const organization = `t${randomBytes(6).toString('hex')}`;
    const members = [{ account: OWNER, active: true }];
    await create(this.#admin, 'organizations', { id: organization, plan: OWNER, members });
    await create(this.#admin, 'projects', { id: organization, organization });
    const { key } = await this.#admin.createApiKey({
      project: organization,
      name: 'tests',
      creator: OWNER,
    });
    return { organization, key };
  }

  /** Waits until every gateway can offer jobs to exactly the given number of workers. */
  async offersTo(workers: number): Promise<void> {
    await waitUntil(
      async () => {
        const seen = await Promise.all(this.gateways.map(async (gateway) => gateway.health()));
        return seen.every((health) => health.workers?.filter(mayBeOffered).length === workers);
      },
      { what: `every gateway to know ${workers} workers`, timeoutMs: SETTLED_TIMEOUT_MS },
    );
  }

  /** Waits until no process has any state of a request, and all records are stored. */
  async holdsNothing(): Promise<void> {
    let seen: unknown;
    await waitUntil(
      async () => {
        const all = await Promise.all(this.members.map(async (member) => member.health()));
        seen = all.map(({ holdings, ledger }) => ({ ...holdings, ...ledger }));
        return all.every(
          ({ holdings, ledger }) =>
            Object.values(holdings).every((count) => count === 0) && ledger.pending === 0,
        );
      },
      { what: 'every process to hold nothing', timeoutMs: SETTLED_TIMEOUT_MS, everyMs: 50 },
    ).catch((cause: unknown) => {
      throw new Error(`still held: ${JSON.stringify(seen)}`, { cause });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

function mayBeOffered(worker: NonNullable<Health['workers']>[number]): boolean {
  const { models, draining, silent_ms: silentMs } = worker;
  return silentMs < HEARTBEAT_FRESH_MS && !draining && models.includes(MODEL);
}

async function freePorts(count: number): Promise<string[]> {
  const ports: string[] = [];
  while (ports.length < count) ports.push(String(await findFreePort()));
  return ports;
}

function addressesOf(ports: readonly string[]): string {
  return ports.map((port) => `${LOOPBACK}:${port}`).join(',');
}

/** Starts a process of a service, and waits until it is ready. */
export async function startMember(
  name: string,
  service: string,
  settings: Settings,
  repository?: string,
): Promise<FleetMember> {
  const healthPort = String(await findFreePort());
  const readyUrl = `http://${LOOPBACK}:${healthPort}/readyz`;
  const process = await ServiceProcess.start({
    name,
    entry: `services/${service}/src/main.ts`,
    repository,
    settings: { HEALTH_HOST: LOOPBACK, HEALTH_PORT: healthPort, ...settings },
    readyUrl,
  });
  return {
    process,
    url: `http://${LOOPBACK}:${settings['PORT'] ?? ''}`,
    readyUrl,
    // The details are the same whether the process is ready or not.
    health: async () => Health.parse(await (await fetch(readyUrl)).json()),
  };
}

export interface RuntimeProcess {
  readonly process: ServiceProcess;
  readonly url: string;
}

/** A simulated runtime as a process. */
export async function startRuntime(settings: Settings = {}): Promise<RuntimeProcess> {
  const port = String(await findFreePort());
  const url = `http://${LOOPBACK}:${port}`;
  const process = await ServiceProcess.start({
    name: 'simulator',
    entry: 'packages/simulator/src/main.ts',
    settings: { HOST: LOOPBACK, PORT: port, ...settings },
    readyUrl: `${url}/health`,
  });
  return { process, url };
}

const OWNER = 'tests';

async function seed(
  admin: CatalogAdminClient,
  { limits = {}, model }: Pick<FleetOptions, 'limits' | 'model'>,
): Promise<void> {
  await admin.ready();
  await create(admin, 'plans', { id: OWNER, limits });
  await create(admin, 'accounts', { id: OWNER, access: 'granted', onboarding: 'complete' });
  await create(admin, 'models', {
    id: MODEL,
    owned_by: OWNER,
    pool: 'default',
    runtime_model: MODEL,
    ...model,
  });
}

async function create(
  admin: CatalogAdminClient,
  kind: ResourceKind,
  document: { readonly id: string; readonly [field: string]: unknown },
): Promise<void> {
  await admin.createResource({ kind, id: document.id, document: JSON.stringify(document) });
}
