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
  /** Settings that the environment of the command may change. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Which settings say how long it takes to stop: all of them, one after the other. */
  readonly drainSettings: readonly string[];
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

export async function planServices({
  options,
  ports,
  apiRoot,
  redisUrl,
  natsUrl,
  adminToken,
}: PlanInputs): Promise<StackPlan> {
  const quotaAddresses = await addresses(options.quotas, ports);
  const catalogAddresses = await addresses(options.catalogs, ports);
  const adminAddresses = await addresses(options.catalogs, ports);
  const simulators =
    options.runtimes.length > 0 ? [] : await simulatorPlans(options.workers, ports);
  const runtimes =
    options.runtimes.length > 0 ? options.runtimes : simulators.map(({ url }) => url);
  const services: ServicePlan[] = [...simulators];
  for (const [index, address] of quotaAddresses.entries()) {
    const settings = { ...listenAt(address), REDIS_URL: redisUrl };
    const details = { number: index + 1, url: `grpc://${address}`, settings };
    services.push(await service(ports, 'quota', details));
  }
  for (const [index, address] of catalogAddresses.entries()) {
    const settings = {
      ...listenAt(address),
      ADMIN_HOST: LOOPBACK,
      ADMIN_PORT: portOf(adminAddresses[index] ?? ''),
      ADMIN_TOKENS: `${ADMIN_NAME}:${adminToken}`,
      NATS_URL: natsUrl,
    };
    const details = { number: index + 1, url: `grpc://${address}`, settings };
    services.push(await service(ports, 'catalog', details));
  }
  for (let number = 1; number <= options.workers; number += 1) {
    const runtime = runtimes[(number - 1) % runtimes.length] ?? '';
    const settings = { NATS_URL: natsUrl, RUNTIME_URL: runtime, POOL: DEMO_POOL };
    services.push(await service(ports, 'worker', { number, settings }));
  }
  let baseUrl = '';
  for (let number = 1; number <= options.gateways; number += 1) {
    const port = number === 1 && options.port !== 0 ? options.port : await ports.next();
    const url = `http://${LOOPBACK}:${port}`;
    if (number === 1) baseUrl = url;
    const settings = {
      ...listenAt(`${LOOPBACK}:${port}`),
      NATS_URL: natsUrl,
      QUOTA_ADDRESSES: quotaAddresses.join(','),
      CATALOG_ADDRESSES: catalogAddresses.join(','),
      API_ROOT: apiRoot,
    };
    services.push(await service(ports, 'gateway', { number, url, settings }));
  }
  return { services, runtimes, baseUrl, catalogAddresses, quotaAddresses, adminAddresses };
}

/** Whoever presses Ctrl-C wants it to end: no load balancer has to notice first, and streams are cut soon. */
const QUICK_STOP: Readonly<Record<ServiceRole, Readonly<Record<string, string>>>> = {
  gateway: { DRAIN_ANNOUNCE_MS: '0', DRAIN_LIMIT_MS: '3000' },
  worker: { DRAIN_TIMEOUT_MS: '3000' },
  quota: {},
  catalog: {},
};

type ServiceRole = Extract<Role, 'gateway' | 'worker' | 'quota' | 'catalog'>;

interface ServiceDetails {
  readonly number?: number;
  /** Where its health is served, when it is reached nowhere else. */
  readonly url?: string;
  readonly settings: Readonly<Record<string, string>>;
}

async function service(
  ports: FreePorts,
  role: ServiceRole,
  { number = 1, url, settings }: ServiceDetails,
): Promise<ServicePlan> {
  const healthPort = await ports.next();
  const healthUrl = `http://${LOOPBACK}:${healthPort}`;
  return {
    name: replicaName(role, number),
    role,
    entry: `services/${role}/src/main.ts`,
    settings: { ...settings, HEALTH_HOST: LOOPBACK, HEALTH_PORT: String(healthPort) },
    defaults: QUICK_STOP[role],
    drainSettings: Object.keys(QUICK_STOP[role]),
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
      defaults: {},
      drainSettings: [],
      url,
      readyUrl: `${url}/health`,
    });
  }
  return plans;
}

async function addresses(count: number, ports: FreePorts): Promise<string[]> {
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
