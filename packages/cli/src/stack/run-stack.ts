import { join } from 'node:path';
import { DEFAULT_CATALOG_BUCKET, DEFAULT_SUBJECT_PREFIX } from '@sluice/contracts';
import { BACKING_KINDS, identify, withoutAccess, type BackingKind } from '@sluice/servers';
import { RuntimeApiKey, readConfiguration } from '@sluice/service';
import * as z from 'zod';
import { readSharedSettings } from '../environment-settings.ts';
import { adminToken } from './admin-token.ts';
import { consoleKeys } from './console-keys.ts';
import { ConsolePages } from './console-pages.ts';
import { fillCatalog, type DemoSecrets } from './fill-catalog.ts';
import { FreePorts } from './free-ports.ts';
import { ledgerFaults } from './ledger-fault.ts';
import { planBacking } from './plan-backing.ts';
import { planServices, type StackPlan } from './plan-services.ts';
import { ProcessGroup, serviceMember, type Member } from './process-group.ts';
import type { Progress } from './progress.ts';
import type { RunningStack } from './running-stack.ts';
import { readRuntimeModels } from './runtime-models.ts';
import { servesRequests, type RequestProbe } from './serves-requests.ts';
import { StackRecord } from './stack-record.ts';
import type { StateFolder } from './state-folder.ts';
import type { UpOptions } from './up-options.ts';

export interface StackInputs {
  readonly options: UpOptions;
  readonly folder: StateFolder;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly progress: Progress;
}

export interface Stack {
  /** Resolves when the stack serves requests. Rejects if a process cannot be started. */
  readonly ready: Promise<ReadyStack>;
  readonly stop: () => Promise<void>;
  /** Kills every process at once. */
  readonly kill: () => void;
}

export interface ReadyStack extends DemoSecrets {
  readonly running: RunningStack;
}

/** The API key of the runtimes, validated as in the worker. */
const RuntimeSettings = z.object({ RUNTIME_API_KEY: RuntimeApiKey.optional() });

const API_ROOT = '/compat/v1';
/** Beside the tools that the bootstrap downloads. */
const CONSOLE_PAGES = join(import.meta.dirname, '../../../../.tools/console-pages');

/** Starts the stack. Its `ready` promise reports success or failure. */
export async function runStack(inputs: StackInputs): Promise<Stack> {
  const { options, folder, environment, progress } = inputs;
  const { RUNTIME_API_KEY: runtimeKey } = readSharedSettings(() =>
    readConfiguration(RuntimeSettings, environment),
  );
  const bucket = givenOr(environment['CATALOG_BUCKET'], DEFAULT_CATALOG_BUCKET);
  // Fails on an unusable runtime before any process is started.
  await readRuntimeModels(options.runtimes, runtimeKey, (line) => progress.say(line));
  const planned = await planStack(inputs);
  const { plan, backing, apiRoot, token, pages } = planned;
  let served: readonly string[] = [];
  const describe = (): RunningStack => ({
    ...describeStack(planned, inputs),
    models: [...served],
    services: group.describe(),
  });
  const record = new StackRecord({ folder, describe, progress });
  let probe: RequestProbe | undefined;
  const group: ProcessGroup = new ProcessGroup(planned.members, {
    progress,
    onChange: () => record.update(),
    // There is no probe until the stack has become ready for the first time.
    servesAgain: async () => probe === undefined || servesRequests(probe),
  });

  async function fill(): Promise<DemoSecrets> {
    await group.ready('catalog', 'simulator');
    const models = await readRuntimeModels(plan.runtimes, runtimeKey);
    served = models.map(({ id }) => id);
    record.update();
    return fillCatalog({
      address: plan.adminAddresses[0] ?? '',
      token,
      models,
      localCatalog: isOwn(backing.nats) ? { folder, bucket } : undefined,
      folder,
      consoleUrl: plan.consoleUrl,
    });
  }

  async function becomeReady(): Promise<ReadyStack> {
    const [secrets] = await Promise.all([fill(), group.ready('worker', 'gateway')]);
    const gateways = plan.services.filter(({ role }) => role === 'gateway');
    const apiRoots = gateways.map(({ url }) => `${url}${apiRoot}`);
    probe = { apiRoots, apiKey: secrets.apiKey, model: served[0] ?? '' };
    const catalog = plan.services.find(({ role }) => role === 'catalog');
    for (const fault of await ledgerFaults(catalog?.readyUrl ?? '')) {
      progress.say(
        `  ${fault}; requests are served, but their ledger records are dropped after ten minutes`,
      );
    }
    // After the stack has become ready, because the build takes a processor for many seconds.
    if (options.console) void pages.build();
    return { running: describe(), ...secrets };
  }

  const ready = becomeReady();
  ready.catch(() => undefined);
  return {
    ready,
    stop: async () => {
      pages.stop();
      await group.stop();
      await record.remove();
    },
    kill: () => {
      pages.stop();
      group.kill();
    },
  };
}

interface PlannedStack {
  readonly plan: StackPlan;
  readonly backing: Readonly<Record<BackingKind, Member>>;
  /** Redis, NATS and all services. */
  readonly members: readonly Member[];
  /** The token for the admin ports of the catalogs. */
  readonly token: string;
  /** The prefix of the API paths of each gateway. */
  readonly apiRoot: string;
  /** The pages of the console. */
  readonly pages: ConsolePages;
}

/** Plans the processes, with their addresses and settings. */
async function planStack({
  options,
  folder,
  environment,
  progress,
}: StackInputs): Promise<PlannedStack> {
  const token = await adminToken(folder);
  const pages = await ConsolePages.find({
    cache: CONSOLE_PAGES,
    logs: folder.logs,
    say: (line) => progress.say(line),
    environment,
  });
  const ports = new FreePorts();
  const apiRoot = givenOr(environment['API_ROOT'], API_ROOT);
  const backing = await planBacking({ environment, folder, ports });
  const plan = await planServices({
    options,
    ports,
    apiRoot,
    redisUrl: backing.redis.url,
    natsUrl: backing.nats.url,
    adminToken: token,
    usageFolder: folder.usage,
    consoleKeys: await consoleKeys(folder),
    consolePages: pages.folder,
  });
  const own = BACKING_KINDS.filter((kind) => isOwn(backing[kind]));
  // The processes of the stack talk over loopback without TLS, so TLS settings and credentials for them are removed
  // from the environment. Settings for an external Redis or NATS stay.
  const inherited = {
    environment: withoutAccess(environment, [...own, 'services']),
    logs: folder.logs,
  };
  const services = plan.services.map((service) => serviceMember(service, inherited));
  const members = [backing.redis, backing.nats, ...services];
  return { plan, backing, members, token, apiRoot, pages };
}

/** Whether the stack starts this server itself. An external server has no plan. */
function isOwn({ plan }: Member): boolean {
  return plan !== undefined;
}

function describeStack(
  { plan, backing, apiRoot }: PlannedStack,
  { folder, environment }: StackInputs,
): Omit<RunningStack, 'models' | 'services'> {
  return {
    up: identify(process.pid) ?? { pid: process.pid, started: 'unknown' },
    base_url: plan.baseUrl,
    api_root: `${plan.baseUrl}${apiRoot}`,
    redis_url: backing.redis.url,
    nats_url: backing.nats.url,
    subject_prefix: givenOr(environment['SUBJECT_PREFIX'], DEFAULT_SUBJECT_PREFIX),
    catalog_address: plan.catalogAddresses[0] ?? '',
    quota_addresses: [...plan.quotaAddresses],
    admin_address: plan.adminAddresses[0] ?? '',
    admin_addresses: [...plan.adminAddresses],
    usage_address: plan.usageAddress ?? '',
    console_url: plan.consoleUrl,
    admin_token_file: folder.adminTokenFile,
    logs: folder.logs,
  };
}

/** Treats an empty setting as not set, as the services do. */
function givenOr(setting: string | undefined, fallback: string): string {
  return setting === undefined || setting === '' ? fallback : setting;
}
