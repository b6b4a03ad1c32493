import { BACKING_KINDS, withoutAccess } from '@sluice/backing';
import { DEFAULT_SUBJECT_PREFIX } from '@sluice/contracts';
import { RpcError, connectCatalogAdmin } from '@sluice/rpc';
import { CommandFailure } from '../command.ts';
import { errorCode } from '../error-code.ts';
import { adminToken } from './admin-token.ts';
import { checkCatalogPosition, recordCatalogPosition } from './catalog-position.ts';
import { createDemoKey, seedDemoCatalog } from './demo-catalog.ts';
import { FreePorts } from './free-ports.ts';
import { planBacking } from './plan-backing.ts';
import { planServices } from './plan-services.ts';
import { ProcessGroup, serviceMember } from './process-group.ts';
import { identify } from './process-identity.ts';
import type { Progress } from './progress.ts';
import { removeRunningStack, writeRunningStack, type RunningStack } from './running-stack.ts';
import { readRuntimeModels } from './runtime-models.ts';
import { servesRequests, type RequestProbe } from './serves-requests.ts';
import type { StateFolder } from './state-folder.ts';
import type { UpOptions } from './up-options.ts';

export interface StackInputs {
  readonly options: UpOptions;
  readonly folder: StateFolder;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly progress: Progress;
}

export interface Stack {
  /** Resolves when requests can be served; rejects when some process cannot be started. */
  readonly ready: Promise<ReadyStack>;
  readonly stop: () => Promise<void>;
  /** At once, without asking. */
  readonly kill: () => void;
}

export interface ReadyStack {
  readonly running: RunningStack;
  /** Shown once: it is kept nowhere. */
  readonly apiKey: string;
  readonly models: readonly string[];
}

const API_ROOT = '/compat/v1';

/** As the services read their settings: an empty one is not given. */
function givenOr(setting: string | undefined, fallback: string): string {
  return setting === undefined || setting === '' ? fallback : setting;
}

export async function runStack({
  options,
  folder,
  environment,
  progress,
}: StackInputs): Promise<Stack> {
  const runtimeKey = environment['RUNTIME_API_KEY'];
  // A runtime that cannot be used is found out before anything is started for it.
  await readRuntimeModels(options.runtimes, runtimeKey);
  const token = await adminToken(folder);
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
  });
  const surroundings = {
    // The services talk over loopback, in the clear: certificates are of others, where there are any.
    environment: withoutAccess(environment, [
      ...BACKING_KINDS.filter((kind) => backing[kind].plan !== undefined),
      'services',
    ]),
    logs: folder.logs,
  };
  const members = [
    backing.redis,
    backing.nats,
    ...plan.services.map((service) => serviceMember(service, surroundings)),
  ];

  let writing = Promise.resolve();
  let stopped = false;
  const describe = (): RunningStack => ({
    up: identify(process.pid) ?? { pid: process.pid, started: 'unknown' },
    base_url: plan.baseUrl,
    api_root: `${plan.baseUrl}${apiRoot}`,
    redis_url: backing.redis.url,
    nats_url: backing.nats.url,
    subject_prefix: givenOr(environment['SUBJECT_PREFIX'], DEFAULT_SUBJECT_PREFIX),
    catalog_address: plan.catalogAddresses[0] ?? '',
    quota_address: plan.quotaAddresses[0] ?? '',
    admin_address: plan.adminAddresses[0] ?? '',
    admin_addresses: [...plan.adminAddresses],
    admin_token_file: folder.adminTokenFile,
    logs: folder.logs,
    services: group.describe(),
  });
  // From the first process on, so that a start after a crash finds every one of them.
  const record = () => {
    writing = writing.then(async () => {
      if (stopped) return;
      try {
        await writeRunningStack(folder.runningFile, describe());
      } catch (error) {
        // The folder was taken away: what runs goes on, and only other commands cannot find it.
        progress.say(`cannot write to ${folder.path} (${errorCode(error)})`);
      }
    });
  };
  let probe: RequestProbe | undefined;
  const group: ProcessGroup = new ProcessGroup(members, {
    progress,
    onChange: record,
    isWhole: async () => probe === undefined || servesRequests(probe),
  });

  async function becomeReady(): Promise<ReadyStack> {
    const [{ apiKey, models }] = await Promise.all([
      fillCatalog(),
      group.ready('worker', 'gateway'),
    ]);
    const gateways = plan.services.filter(({ role }) => role === 'gateway');
    const apiRoots = gateways.map(({ url }) => `${url}${apiRoot}`);
    probe = { apiRoots, apiKey, model: models[0] ?? '' };
    return { running: describe(), apiKey, models };
  }

  async function fillCatalog(): Promise<{ apiKey: string; models: string[] }> {
    await group.ready('catalog', 'simulator');
    const models = await readRuntimeModels(plan.runtimes, runtimeKey);
    await using admin = connectCatalogAdmin({ address: plan.adminAddresses[0] ?? '', token });
    const isOurs = backing.nats.plan !== undefined;
    try {
      if (isOurs) await checkCatalogPosition(admin, folder);
      await seedDemoCatalog(admin, models);
      const apiKey = await createDemoKey(admin);
      if (isOurs) await recordCatalogPosition(admin, folder);
      return { apiKey, models: models.map(({ id }) => id) };
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      throw new CommandFailure(`the catalog could not be filled: ${cause.message}`, { cause });
    }
  }

  const ready = becomeReady();
  ready.catch(() => undefined);
  return {
    ready,
    stop: async () => {
      await group.stop();
      stopped = true;
      await writing;
      await removeRunningStack(folder.runningFile);
    },
    kill: () => group.kill(),
  };
}
