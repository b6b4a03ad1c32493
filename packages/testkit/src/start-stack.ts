import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll } from 'vitest';
import * as z from 'zod';
import { withServerPrograms } from './server-programs.ts';
import { waitUntil } from './wait-until.ts';

/** What `sluice up --json` prints when it is ready. */
const ReadyLine = z.object({
  base_url: z.string(),
  api_root: z.string(),
  api_key: z.string(),
  redis_url: z.string(),
  nats_url: z.string(),
  admin_address: z.string(),
  admin_addresses: z.array(z.string()),
  admin_token_file: z.string(),
  quota_address: z.string(),
  catalog_address: z.string(),
  logs: z.string(),
  models: z.array(z.string()),
});

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

export interface StackOptions {
  readonly gateways?: number;
  readonly catalogs?: number;
  readonly quotas?: number;
  readonly workers?: number;
  readonly runtimes?: readonly string[];
  /** A state folder to use and to leave; otherwise one is made and removed. */
  readonly state?: string;
  /** Settings for the services, by the names of their environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A process of the stack as it is at this moment. */
export interface StackService {
  readonly name: string;
  /** Null while it is being started again. */
  readonly pid: number | null;
  readonly url: string;
  readonly healthUrl: string | null;
  /** It serves, and after a restart so does the whole stack again. */
  readonly ready: boolean;
  readonly restarts: number;
}

/** A whole stack of real processes. Disposing of it stops them all and makes sure of it. */
export interface TestStack extends AsyncDisposable {
  /** The first gateway, without and with the path of the API. */
  readonly baseUrl: string;
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
  readonly state: string;
  /** The folder with a log of each process. */
  readonly logs: string;
  /** The process that watches over the others. */
  readonly pid: number;
  services(): Promise<StackService[]>;
  service(name: string): Promise<StackService>;
  /** Sends a signal to a process of the stack, and to that alone. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Waits until a process that was killed is another one, and requests get through again. */
  restarted(before: StackService): Promise<StackService>;
  /** Stops everything and gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const root = join(import.meta.dirname, '../../..');
const READY_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 40_000;

/**
 * A machine full of tests may stand still for longer than an admission is waited for, and what is then
 * refused is not what these tests are about. Those of the deadlines say what they want.
 */
const PATIENT_ADMISSION = { QUOTA_DEADLINE_MS: '5000', REDIS_DEADLINE_MS: '4000' } as const;

/** Boots a stack on free ports, in the way in which people do. */
export async function startStack(options: StackOptions = {}): Promise<TestStack> {
  const state = options.state ?? (await mkdtemp(join(tmpdir(), 'sluice-stack-')));
  const up = spawn(process.execPath, parametersOf(options, state), {
    cwd: root,
    env: { ...withServerPrograms(process.env), ...PATIENT_ADMISSION, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const removeState = async () => {
    if (options.state === undefined) await rm(state, { recursive: true, force: true });
  };
  let ready: z.infer<typeof ReadyLine>;
  try {
    ready = ReadyLine.parse(JSON.parse(await firstLine(up)));
  } catch (error) {
    up.kill('SIGKILL');
    await removeState();
    throw error;
  }
  const adminToken = (await readFile(ready.admin_token_file, 'utf8')).trim();
  const pid = up.pid ?? 0;
  let known: StackService[] = [];

  const services = async () => {
    const file = RunningFile.parse(JSON.parse(await readFile(join(state, 'running.json'), 'utf8')));
    known = file.services.map(
      ({ name, url, health_url, process: identity, ready: isReady, restarts }) => ({
        name,
        url,
        healthUrl: health_url,
        pid: identity?.pid ?? null,
        ready: isReady,
        restarts,
      }),
    );
    return known;
  };
  const service = async (name: string) => {
    const found = (await services()).find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`the stack has no ${name}`);
    return found;
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (up.exitCode === null && up.signalCode === null) {
      await services();
      up.kill(signal);
      await waitUntil(() => up.exitCode !== null || up.signalCode !== null, {
        what: `the stack to stop after ${signal}`,
        timeoutMs: STOP_TIMEOUT_MS,
      });
    }
    return up.exitCode;
  };
  await services();

  return {
    baseUrl: ready.base_url,
    apiRoot: ready.api_root,
    apiKey: ready.api_key,
    models: ready.models,
    redisUrl: ready.redis_url,
    natsUrl: ready.nats_url,
    quotaAddress: ready.quota_address,
    catalogAddress: ready.catalog_address,
    adminAddress: ready.admin_address,
    adminAddresses: ready.admin_addresses,
    adminToken,
    state,
    logs: ready.logs,
    pid,
    services,
    service,
    kill: async (name, signal = 'SIGKILL') => {
      const { pid: target } = await service(name);
      if (target === null) throw new Error(`${name} is not running`);
      process.kill(target, signal);
    },
    restarted: async (before) =>
      waitUntil(
        async () => {
          const now = await service(before.name);
          return now.ready && now.pid !== before.pid ? now : undefined;
        },
        { what: `${before.name} to be back`, timeoutMs: 30_000 },
      ),
    stop,
    [Symbol.asyncDispose]: async () => {
      try {
        await stop();
        await waitUntil(() => known.every(({ pid: child }) => child === null || !exists(child)), {
          what: `the processes ${known.map(({ name, pid: child }) => `${name} ${String(child)}`).join(', ')} to end`,
        });
      } finally {
        up.kill('SIGKILL');
        await removeState();
      }
    },
  };
}

/** A stack for a whole test file: call it at the top of the file, use it in hooks and tests. */
export function useStack(options: StackOptions = {}): () => TestStack {
  let stack: TestStack | undefined;
  beforeAll(async () => {
    stack = await startStack(options);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
  });
  return () => {
    if (stack === undefined) {
      throw new Error('the stack starts in a hook: use it in a hook or a test');
    }
    return stack;
  };
}

function parametersOf({ runtimes = [], ...options }: StackOptions, state: string): string[] {
  const counts = (['gateways', 'catalogs', 'quotas', 'workers'] as const).flatMap((name) => {
    const count = options[name];
    return count === undefined ? [] : [`--${name}=${count}`];
  });
  return [
    join(root, 'packages/cli/src/main.ts'),
    'up',
    '--json',
    '--port=0',
    `--state=${state}`,
    ...counts,
    ...runtimes.map((url) => `--runtime=${url}`),
  ];
}

async function firstLine(up: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  up.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-8_000);
  });
  const fail = (reason: string) => reject(new Error(`the stack ${reason}; it said:\n${said}`));
  const timer = setTimeout(() => fail('did not become ready in time'), READY_TIMEOUT_MS);
  if (up.stdout !== null) createInterface(up.stdout).once('line', resolve);
  up.once('error', reject);
  up.once('exit', (code) => fail(`ended with code ${String(code)} before it was ready`));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
