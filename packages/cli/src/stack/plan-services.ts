import { createHmac } from 'node:crypto';
import { LOOPBACK } from '@sluice/servers';
import type { ConsoleKeys } from './console-keys.ts';
import { DEMO, DEMO_POOL } from './demo-catalog.ts';
import type { FreePorts } from './free-ports.ts';
import { isFreePort } from './require-port.ts';
import type { UpOptions } from './up-options.ts';

/**
 * The roles in the order in which they are stopped: services that accept requests first, services that store data last.
 */
export const ROLES = [
  'console',
  'usage',
  'gateway',
  'worker',
  'simulator',
  'quota',
  'catalog',
  'nats',
  'redis',
] as const;
export type Role = (typeof ROLES)[number];

/** The roles that must be ready before a role is started. */
export const NEEDS: Readonly<Record<Role, readonly Role[]>> = {
  redis: [],
  nats: [],
  simulator: [],
  quota: ['redis'],
  catalog: ['nats'],
  worker: ['nats', 'simulator'],
  gateway: ['nats', 'quota', 'catalog'],
  // No request needs usage, and opening its database takes seconds of CPU time. Therefore it is started last.
  usage: ['worker', 'gateway'],
  console: ['worker', 'gateway'],
};

/** One Sluice process: its program, its settings and its address. */
export interface ServicePlan {
  readonly name: string;
  readonly role: Role;
  /** The path of its main module, relative to the root of the repository. */
  readonly entry: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly url: string;
  /** Answers with status 200 when the service is ready. */
  readonly readyUrl: string;
}

export interface StackPlan {
  readonly services: readonly ServicePlan[];
  readonly runtimes: readonly string[];
  readonly baseUrl: string;
  /** host:port of each catalog replica. */
  readonly catalogAddresses: readonly string[];
  readonly quotaAddresses: readonly string[];
  /** host:port of the admin port of each catalog replica, in the same order. */
  readonly adminAddresses: readonly string[];
  /** host:port of usage. Undefined if it does not run. */
  readonly usageAddress: string | undefined;
  /** Empty if the console does not run. */
  readonly consoleUrl: string;
}

export interface PlanInputs {
  readonly options: UpOptions;
  readonly ports: FreePorts;
  readonly apiRoot: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly adminToken: string;
  /** Where usage keeps its tables. */
  readonly usageFolder: string;
  readonly consoleKeys: ConsoleKeys;
  /** The folder of the built pages of the console. It may be missing until they are built. */
  readonly consolePages: string;
}

/** The name of this command in the audit log. */
const ADMIN_NAME = 'sluice';
/** The name of usage in the audit log. */
const USAGE_NAME = 'usage';

/** Derives a secret that is the same at every start of the stack, so that no further file has to hold it. */
function derivedSecret(adminToken: string, purpose: string): string {
  return createHmac('sha256', adminToken).update(purpose).digest('hex');
}

export async function planServices(inputs: PlanInputs): Promise<StackPlan> {
  const { options, ports } = inputs;
  const quotaAddresses = await freeAddresses(options.quotas, ports);
  const catalogAddresses = await freeAddresses(options.catalogs, ports);
  const adminAddresses = await freeAddresses(options.catalogs, ports);
  const [usageAddress] = await freeAddresses(options.usage ? 1 : 0, ports);
  const simulators =
    options.runtimes.length > 0 ? [] : await simulatorPlans(options.workers, ports);
  const runtimes =
    options.runtimes.length > 0 ? options.runtimes : simulators.map(({ url }) => url);
  const gateways = await gatewayPlans(inputs, { quotaAddresses, catalogAddresses });
  const baseUrl = gateways[0]?.url ?? '';
  const addresses = { baseUrl, catalogAddresses, quotaAddresses, adminAddresses, usageAddress };
  const consolePort = options.console ? await chooseConsolePort(inputs) : undefined;
  const services = [
    ...simulators,
    ...(await quotaPlans(inputs, quotaAddresses)),
    ...(await catalogPlans(inputs, { catalogAddresses, adminAddresses })),
    ...(await workerPlans(inputs, runtimes)),
    ...gateways,
    ...(await usagePlans(inputs, { usageAddress, adminAddresses })),
    ...(await consolePlans(inputs, { ...addresses, consolePort })),
  ];
  const consoleUrl = consolePort === undefined ? '' : urlOf(consolePort);
  return { services, runtimes, ...addresses, consoleUrl };
}

function quotaPlans(
  { ports, redisUrl }: PlanInputs,
  quotaAddresses: StackPlan['quotaAddresses'],
): Promise<ServicePlan[]> {
  return planEach(quotaAddresses, (address, number) =>
    planService(ports, 'quota', {
      number,
      url: `grpc://${address}`,
      settings: { ...listenAt(address), REDIS_URL: redisUrl },
    }),
  );
}

function catalogPlans(
  { ports, natsUrl, adminToken, consoleKeys }: PlanInputs,
  { catalogAddresses, adminAddresses }: Pick<StackPlan, 'catalogAddresses' | 'adminAddresses'>,
): Promise<ServicePlan[]> {
  return planEach(catalogAddresses, (address, number) =>
    planService(ports, 'catalog', {
      number,
      url: `grpc://${address}`,
      settings: {
        ...listenAt(address),
        ADMIN_HOST: LOOPBACK,
        ADMIN_PORT: portOf(adminAddresses[number - 1] ?? ''),
        ADMIN_TOKENS: `${ADMIN_NAME}:${adminToken}`,
        BUDGET_TOKENS: `${USAGE_NAME}:${derivedSecret(adminToken, 'budgets')}`,
        CONSOLE_KEYS: consoleKeys.publicKeys,
        // The plan of people who sign in for the first time.
        CONSOLE_PLAN: DEMO,
        NATS_URL: natsUrl,
      },
    }),
  );
}

function usagePlans(
  { ports, natsUrl, adminToken, usageFolder }: PlanInputs,
  { usageAddress, adminAddresses }: Pick<StackPlan, 'usageAddress' | 'adminAddresses'>,
): Promise<ServicePlan[]> {
  return planEach(usageAddress === undefined ? [] : [usageAddress], (given, number) =>
    planService(ports, 'usage', {
      number,
      url: `grpc://${given}`,
      settings: {
        ...listenAt(given),
        NATS_URL: natsUrl,
        ADMIN_TOKENS: `${ADMIN_NAME}:${adminToken}`,
        // The environment may name the database of another program.
        ...NO_POSTGRES,
        DATABASE_FOLDER: usageFolder,
        CATALOG_ADMIN_ADDRESSES: adminAddresses.join(','),
        CATALOG_TOKEN: derivedSecret(adminToken, 'budgets'),
        WEBHOOK_KEY: derivedSecret(adminToken, 'webhooks'),
        // The receivers of webhooks may run on this machine, too.
        WEBHOOK_PRIVATE_NETWORKS: 'true',
      },
    }),
  );
}

const NO_POSTGRES = {
  DATABASE_URL: '',
  DATABASE_PASSWORD: '',
  DATABASE_TLS: '',
  DATABASE_CA_FILE: '',
} as const;

/** A fixed port for the console, so that its address stays the same from start to start. */
const CONSOLE_PORT = 7005;

/** If the gateway gets any free port (`--port 0`), the console does too. */
async function chooseConsolePort({ options, ports }: PlanInputs): Promise<number> {
  if (options.port !== 0 && (await isFreePort(CONSOLE_PORT))) return CONSOLE_PORT;
  return ports.next();
}

type ConsoleAddresses = Omit<StackPlan, 'services' | 'runtimes' | 'consoleUrl'> & {
  readonly consolePort: number | undefined;
};

async function consolePlans(
  { ports, apiRoot, natsUrl, adminToken, consoleKeys, consolePages }: PlanInputs,
  { consolePort, usageAddress = '', ...addresses }: ConsoleAddresses,
): Promise<ServicePlan[]> {
  if (consolePort === undefined) return [];
  const url = urlOf(consolePort);
  const plan = await planService(ports, 'console', {
    number: 1,
    url,
    settings: {
      HOST: LOOPBACK,
      PORT: String(consolePort),
      PUBLIC_URL: url,
      API_URL: `${addresses.baseUrl}${apiRoot}`,
      WEB_ROOT: consolePages,
      COOKIE_KEYS: consoleKeys.cookieKeys,
      ASSERTION_KEY: consoleKeys.assertionKey,
      CATALOG_ADMIN_ADDRESSES: addresses.adminAddresses.join(','),
      QUOTA_ADDRESSES: addresses.quotaAddresses.join(','),
      USAGE_ADDRESS: usageAddress,
      USAGE_TOKEN: usageAddress === '' ? '' : adminToken,
      NATS_URL: natsUrl,
    },
  });
  return [plan];
}

function urlOf(port: number): string {
  return `http://${LOOPBACK}:${port}`;
}

/** One plan per worker. Runtimes are assigned in turn. */
function workerPlans(
  { options, ports, natsUrl }: PlanInputs,
  runtimes: StackPlan['runtimes'],
): Promise<ServicePlan[]> {
  const served = Array.from(
    { length: options.workers },
    (_, index) => runtimes[index % runtimes.length] ?? '',
  );
  return planEach(served, (runtime, number) =>
    planService(ports, 'worker', {
      number,
      settings: {
        NATS_URL: natsUrl,
        RUNTIME_URL: runtime,
        POOL: DEMO_POOL,
        WORKER_NAME: `worker-${number}`,
      },
    }),
  );
}

async function gatewayPlans(
  { options, ports, apiRoot, natsUrl }: PlanInputs,
  { quotaAddresses, catalogAddresses }: Pick<StackPlan, 'quotaAddresses' | 'catalogAddresses'>,
): Promise<ServicePlan[]> {
  const [free = '', ...others] = await freeAddresses(options.gateways, ports);
  const first = options.port === 0 ? free : `${LOOPBACK}:${options.port}`;
  return planEach([first, ...others], (address, number) =>
    planService(ports, 'gateway', {
      number,
      url: `http://${address}`,
      settings: {
        ...listenAt(address),
        NATS_URL: natsUrl,
        QUOTA_ADDRESSES: quotaAddresses.join(','),
        CATALOG_ADDRESSES: catalogAddresses.join(','),
        API_ROOT: apiRoot,
      },
    }),
  );
}

/** Numbers the replicas from 1. */
function planEach(
  addresses: readonly string[],
  plan: (address: string, number: number) => Promise<ServicePlan>,
): Promise<ServicePlan[]> {
  return Promise.all(addresses.map((address, index) => plan(address, index + 1)));
}

type ServiceRole = Exclude<Role, 'simulator' | 'nats' | 'redis'>;

interface ServiceDetails {
  readonly number: number;
  /** The address of the service. By default the address of its health endpoint. */
  readonly url?: string;
  readonly settings: Readonly<Record<string, string>>;
}

async function planService(
  ports: FreePorts,
  role: ServiceRole,
  { number, url, settings }: ServiceDetails,
): Promise<ServicePlan> {
  const healthPort = await ports.next();
  const healthUrl = `http://${LOOPBACK}:${healthPort}`;
  return {
    name: replicaName(role, number),
    role,
    entry: `services/${role}/src/main.ts`,
    settings: { ...settings, HEALTH_HOST: LOOPBACK, HEALTH_PORT: String(healthPort) },
    url: url ?? healthUrl,
    readyUrl: `${healthUrl}/readyz`,
  };
}

async function simulatorPlans(count: number, ports: FreePorts): Promise<ServicePlan[]> {
  const plans: ServicePlan[] = [];
  for (let number = 1; number <= count; number += 1) {
    const port = await ports.next();
    const url = `http://${LOOPBACK}:${port}`;
    plans.push({
      name: replicaName('simulator', number),
      role: 'simulator',
      entry: 'packages/simulator/src/main.ts',
      settings: { HOST: LOOPBACK, PORT: String(port) },
      url,
      readyUrl: `${url}/health`,
    });
  }
  return plans;
}

async function freeAddresses(count: number, ports: FreePorts): Promise<string[]> {
  const found: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    found.push(`${LOOPBACK}:${await ports.next()}`);
  }
  return found;
}

function replicaName(role: Role, number: number): string {
  return number === 1 ? role : `${role}-${number}`;
}

function listenAt(address: string): { HOST: string; PORT: string } {
  return { HOST: LOOPBACK, PORT: portOf(address) };
}

function portOf(address: string): string {
  return address.slice(address.lastIndexOf(':') + 1);
}
