import { LOOPBACK } from '@sluice/backing';
import { DEMO_POOL } from './demo-catalog.ts';
import type { FreePorts } from './free-ports.ts';
import type { UpOptions } from './up-options.ts';

/** In the order in which a stack is stopped: who takes work goes first, who stores it last. */
export const ROLES = [
  'gateway',
  'worker',
  'simulator',
  'quota',
  'catalog',
  'nats',
  'redis',
] as const;
export type Role = (typeof ROLES)[number];

/** What must be ready before one of a role is started. */
export const NEEDS: Readonly<Record<Role, readonly Role[]>> = {
  redis: [],
  nats: [],
  simulator: [],
  quota: ['redis'],
  catalog: ['nats'],
  worker: ['nats', 'simulator'],
  gateway: ['nats', 'quota', 'catalog'],
};

/** One process of ours: what to run, with which settings, and where it is reached. */
export interface ServicePlan {
  readonly name: string;
  readonly role: Role;
  /** Its main module, from the root of the repository. */
  readonly entry: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly url: string;
  /** Answers 200 when it is ready. */
  readonly readyUrl: string;
}

export interface StackPlan {
  readonly services: readonly ServicePlan[];
  readonly runtimes: readonly string[];
  readonly baseUrl: string;
  /** host:port of each replica. */
  readonly catalogAddresses: readonly string[];
  readonly quotaAddresses: readonly string[];
  /** The admin ports of the catalogs, in the same order. */
  readonly adminAddresses: readonly string[];
}

export interface PlanInputs {
  readonly options: UpOptions;
  readonly ports: FreePorts;
  readonly apiRoot: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly adminToken: string;
}

/** The name under which changes made by this command stand in the audit log. */
const ADMIN_NAME = 'sluice';

export async function planServices(inputs: PlanInputs): Promise<StackPlan> {
  const { options, ports } = inputs;
  const quotaAddresses = await freeAddresses(options.quotas, ports);
  const catalogAddresses = await freeAddresses(options.catalogs, ports);
  const adminAddresses = await freeAddresses(options.catalogs, ports);
  const simulators =
    options.runtimes.length > 0 ? [] : await simulatorPlans(options.workers, ports);
  const runtimes =
    options.runtimes.length > 0 ? options.runtimes : simulators.map(({ url }) => url);
  const gateways = await gatewayPlans(inputs, { quotaAddresses, catalogAddresses });
  const services = [
    ...simulators,
    ...(await quotaPlans(inputs, quotaAddresses)),
    ...(await catalogPlans(inputs, { catalogAddresses, adminAddresses })),
    ...(await workerPlans(inputs, runtimes)),
    ...gateways,
  ];
  const baseUrl = gateways[0]?.url ?? '';
  return { services, runtimes, baseUrl, catalogAddresses, quotaAddresses, adminAddresses };
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
  { ports, natsUrl, adminToken }: PlanInputs,
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
        NATS_URL: natsUrl,
      },
    }),
  );
}

/** Each with a runtime; of several workers some share one, in turn. */
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
      settings: { NATS_URL: natsUrl, RUNTIME_URL: runtime, POOL: DEMO_POOL },
    }),
  );
}

async function gatewayPlans(
  { options, ports, apiRoot, natsUrl }: PlanInputs,
  { quotaAddresses, catalogAddresses }: Pick<StackPlan, 'quotaAddresses' | 'catalogAddresses'>,
): Promise<ServicePlan[]> {
  const [any = '', ...others] = await freeAddresses(options.gateways, ports);
  const first = options.port === 0 ? any : `${LOOPBACK}:${options.port}`;
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

/** Replicas are numbered from 1. */
function planEach(
  addresses: readonly string[],
  plan: (address: string, number: number) => Promise<ServicePlan>,
): Promise<ServicePlan[]> {
  return Promise.all(addresses.map((address, index) => plan(address, index + 1)));
}

type ServiceRole = Extract<Role, 'gateway' | 'worker' | 'quota' | 'catalog'>;

interface ServiceDetails {
  readonly number: number;
  /** Where it is reached; that of its health, when it is reached nowhere else. */
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
