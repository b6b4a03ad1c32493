import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { startProgram } from './child-program.ts';
import { ROOT } from './repository.ts';

export interface StackOptions {
  /** Runtimes that are there already; none lets the stack start its own simulators. */
  readonly runtimes?: readonly string[];
  readonly gateways?: number;
  readonly workers?: number;
  /** Settings of the services, by the names of their environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface StackProcess {
  readonly name: string;
  /** Null while it is being started again. */
  readonly pid: number | null;
  readonly url: string;
  readonly healthUrl: string | null;
  readonly ready: boolean;
  readonly restarts: number;
}

/** A whole stack of real processes, started in the way in which people start one. */
export interface SluiceStack extends AsyncDisposable {
  readonly baseUrl: string;
  readonly apiRoot: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly adminAddress: string;
  readonly adminToken: string;
  /** The process that watches over the others. */
  readonly pid: number;
  readonly logs: string;
  /** As they are at this moment. */
  processes(): Promise<StackProcess[]>;
}

const ReadyLine = z.object({
  base_url: z.string(),
  api_root: z.string(),
  redis_url: z.string(),
  nats_url: z.string(),
  admin_address: z.string(),
  admin_token_file: z.string(),
  logs: z.string(),
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

const READY_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 40_000;

export async function startStack(options: StackOptions = {}): Promise<SluiceStack> {
  const state = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const removeState = () => rm(state, { recursive: true, force: true });
  let line: string | undefined;
  try {
    const program = await startProgram({
      name: 'sluice up',
      program: process.execPath,
      parameters: [
        join(ROOT, 'packages/cli/src/main.ts'),
        'up',
        '--json',
        '--port=0',
        `--state=${state}`,
        `--gateways=${options.gateways ?? 1}`,
        `--workers=${options.workers ?? 1}`,
        ...(options.runtimes ?? []).map((url) => `--runtime=${url}`),
      ],
      environment: {
        ...options.environment,
        // The stack has servers of its own: those that an address names are somebody's, and not to be loaded.
        REDIS_URL: undefined,
        NATS_URL: undefined,
      },
      folder: ROOT,
      readyTimeoutMs: READY_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      isReady: async ({ firstLine }) => {
        line = await Promise.race([firstLine, nextTurn()]);
        return line !== undefined;
      },
    });
    const ready = ReadyLine.parse(JSON.parse(line ?? ''));
    return {
      baseUrl: ready.base_url,
      apiRoot: ready.api_root,
      redisUrl: ready.redis_url,
      natsUrl: ready.nats_url,
      adminAddress: ready.admin_address,
      adminToken: (await readFile(ready.admin_token_file, 'utf8')).trim(),
      pid: program.pid,
      logs: ready.logs,
      processes: () => readProcesses(join(state, 'running.json')),
      [Symbol.asyncDispose]: async () => {
        await program[Symbol.asyncDispose]();
        await removeState();
      },
    };
  } catch (error) {
    await removeState();
    throw error;
  }
}

async function readProcesses(file: string): Promise<StackProcess[]> {
  const { services } = RunningFile.parse(JSON.parse(await readFile(file, 'utf8')));
  return services.map(({ name, url, health_url, process, ready, restarts }) => ({
    name,
    url,
    healthUrl: health_url,
    pid: process?.pid ?? null,
    ready,
    restarts,
  }));
}

async function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}
