import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRunningStack, type RunningStack } from '@sluice/cli';
import { startProgram } from './child-program.ts';
import { ROOT } from './repository.ts';

export interface StackOptions {
  /** Runtimes that are there already; none lets the stack start its own simulators. */
  readonly runtimes?: readonly string[];
  readonly gateways?: number;
  readonly workers?: number;
  /** Where the files of the version lie that is started; ours without it. */
  readonly repository?: string;
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

const READY_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 40_000;

export async function startStack(options: StackOptions = {}): Promise<SluiceStack> {
  const { repository = ROOT } = options;
  const state = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const removeState = () => rm(state, { recursive: true, force: true });
  try {
    const program = await startProgram({
      name: 'sluice up',
      program: process.execPath,
      parameters: [
        join(repository, 'packages/cli/src/main.ts'),
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
      folder: repository,
      readyTimeoutMs: READY_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      isReady: async ({ firstLine }) => (await Promise.race([firstLine, nextTurn()])) !== undefined,
    });
    const running = await readRunning(state);
    return {
      baseUrl: running.base_url,
      apiRoot: running.api_root,
      redisUrl: running.redis_url,
      natsUrl: running.nats_url,
      adminAddress: running.admin_address,
      adminToken: (await readFile(running.admin_token_file, 'utf8')).trim(),
      pid: program.pid,
      logs: running.logs,
      processes: () => readProcesses(state),
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

/** What the stack has written down of itself. */
async function readRunning(state: string): Promise<RunningStack> {
  const running = await readRunningStack(join(state, 'running.json'));
  if (running === undefined) throw new Error(`no stack runs in ${state} any more`);
  return running;
}

async function readProcesses(state: string): Promise<StackProcess[]> {
  const { services } = await readRunning(state);
  return services.map(({ name, url, health_url, process: identity, ready, restarts }) => ({
    name,
    url,
    healthUrl: health_url,
    pid: identity?.pid ?? null,
    ready,
    restarts,
  }));
}

async function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}
