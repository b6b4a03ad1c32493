import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { startProgram } from './child-program.ts';

export interface SluiceOptions {
  readonly gateways?: number | undefined;
  readonly catalogs?: number | undefined;
  readonly quotas?: number | undefined;
  readonly workers?: number | undefined;
  /** The addresses of running runtimes. Without any, the stack starts simulators. */
  readonly runtimes?: readonly string[] | undefined;
  /** Whether usage runs. Default: false, because its database takes seconds of CPU time to open. */
  readonly usage?: boolean | undefined;
  /** Whether the console runs. Default: false, because its pages may have to be built. */
  readonly console?: boolean | undefined;
  /** A state folder to use and to keep. By default, a temporary one is created and removed. */
  readonly state?: string | undefined;
  /** The repository of the version to start. By default, this one. */
  readonly repository?: string | undefined;
  /** The whole environment of `sluice up`. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The present state of a process of the stack. */
export interface SluiceService {
  readonly name: string;
  /** Null while the process is being restarted. */
  readonly pid: number | null;
  readonly url: string;
  readonly healthUrl: string | null;
  /** The process serves. After a restart, this is set only when the whole stack serves again. */
  readonly ready: boolean;
  readonly restarts: number;
}

/** A whole stack of real processes. Disposing of it stops all of them. */
export interface RunningSluice extends AsyncDisposable {
  /** The address of the first gateway. */
  readonly baseUrl: string;
  /** The address of the first gateway, with the path of the API. */
  readonly apiRoot: string;
  readonly apiKey: string;
  readonly models: readonly string[];
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly quotaAddress: string;
  readonly catalogAddress: string;
  readonly adminAddress: string;
  /** The admin port of every catalog. */
  readonly adminAddresses: readonly string[];
  readonly adminToken: string;
  /** The address of usage. Empty if it does not run. */
  readonly usageAddress: string;
  /** Empty if the console does not run. */
  readonly consoleUrl: string;
  /** A link that signs in to the console, and works once. Empty if the console does not run. */
  readonly signInUrl: string;
  readonly state: string;
  /** The folder with one log for each process. */
  readonly logs: string;
  /** The pid of `sluice up`, which supervises all other processes. */
  readonly pid: number;
  services(): Promise<SluiceService[]>;
  /** Stops the stack and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** What `sluice up --json` prints when it is ready. */
const ReadyLine = z.object({
  base_url: z.string(),
  api_root: z.string(),
  api_key: z.string(),
  redis_url: z.string(),
  nats_url: z.string(),
  admin_address: z.string(),
  admin_addresses: z.array(z.string()),
  usage_address: z.string().default(''),
  console_url: z.string().default(''),
  sign_in_url: z.string().default(''),
  admin_token_file: z.string(),
  quota_addresses: z.array(z.string()),
  catalog_address: z.string(),
  logs: z.string(),
  models: z.array(z.string()),
});

/** The fields of `running.json` that are read here. `sluice up` keeps this file in its state folder while it runs. */
const RunningFile = z.object({
  services: z.array(
    z.object({
      name: z.string(),
      url: z.string(),
      health_url: z.string().nullable(),
      process: z.object({ pid: z.int() }).nullable(),
      ready: z.boolean(),
      restarts: z.int(),
    }),
  ),
});

const root = join(import.meta.dirname, '../../..');
const READY_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 40_000;

/** Runs `sluice up` and returns when it is ready. */
export async function startSluice(options: SluiceOptions): Promise<RunningSluice> {
  await using started = new AsyncDisposableStack();
  const state = options.state ?? (await mkdtemp(join(tmpdir(), 'sluice-stack-')));
  if (options.state === undefined) {
    started.defer(() => rm(state, { recursive: true, force: true }));
  }
  const { repository = root, environment } = options;
  const program = started.use(
    await startProgram({
      name: 'sluice up',
      program: process.execPath,
      parameters: [join(repository, 'packages/cli/src/main.ts'), ...parametersOf(options, state)],
      environment,
      folder: repository,
      tether: true,
      graceMs: STOP_TIMEOUT_MS,
      readyTimeoutMs: READY_TIMEOUT_MS,
      isReady: async ({ firstLine }) => (await firstLine) !== '',
    }),
  );
  const ready = ReadyLine.parse(JSON.parse(await program.firstLine));
  const adminToken = (await readFile(ready.admin_token_file, 'utf8')).trim();
  const running = started.move();
  return {
    baseUrl: ready.base_url,
    apiRoot: ready.api_root,
    apiKey: ready.api_key,
    models: ready.models,
    redisUrl: ready.redis_url,
    natsUrl: ready.nats_url,
    quotaAddress: ready.quota_addresses[0] ?? '',
    catalogAddress: ready.catalog_address,
    adminAddress: ready.admin_address,
    adminAddresses: ready.admin_addresses,
    adminToken,
    usageAddress: ready.usage_address,
    consoleUrl: ready.console_url,
    signInUrl: ready.sign_in_url,
    state,
    logs: ready.logs,
    pid: program.pid,
    services: () => readServices(state),
    stop: async (signal) => (await program.stop(signal)).code,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function parametersOf({ runtimes = [], ...options }: SluiceOptions, state: string): string[] {
  // Earlier versions have no usage and no console, and do not know the options that leave them out.
  const mayBeEarlier = options.repository !== undefined;
  const counts = (['gateways', 'catalogs', 'quotas', 'workers'] as const).flatMap((name) => {
    const count = options[name];
    return count === undefined ? [] : [`--${name}=${count}`];
  });
  return [
    'up',
    '--json',
    '--port=0',
    `--state=${state}`,
    ...(options.usage === true || mayBeEarlier ? [] : ['--without-usage']),
    ...(options.console === true || mayBeEarlier ? [] : ['--without-console']),
    ...counts,
    ...runtimes.map((url) => `--runtime=${url}`),
  ];
}

async function readServices(state: string): Promise<SluiceService[]> {
  const file = RunningFile.parse(JSON.parse(await readFile(join(state, 'running.json'), 'utf8')));
  return file.services.map(({ health_url, process: identity, ...service }) => ({
    ...service,
    healthUrl: health_url,
    pid: identity?.pid ?? null,
  }));
}
