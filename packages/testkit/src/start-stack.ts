import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { readServices, sluiceUp } from './sluice-up.ts';
import type { StackOptions, StackService, TestStack } from './test-stack.ts';
import { waitUntil } from './wait-until.ts';

const STOP_TIMEOUT_MS = 40_000;
const RESTART_TIMEOUT_MS = 30_000;

/** Boots a stack on free ports, in the way in which people do. */
export async function startStack(options: StackOptions = {}): Promise<TestStack> {
  const state = options.state ?? (await mkdtemp(join(tmpdir(), 'sluice-stack-')));
  const removeState = async () => {
    if (options.state === undefined) await rm(state, { recursive: true, force: true });
  };
  const { up, ready } = await sluiceUp(options, state).catch(async (error: unknown) => {
    await removeState();
    throw error;
  });
  const processes = new StackProcesses(up, state);
  await processes.services();
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
    adminToken: (await readFile(ready.admin_token_file, 'utf8')).trim(),
    state,
    logs: ready.logs,
    pid: up.pid ?? 0,
    services: () => processes.services(),
    service: (name) => processes.service(name),
    kill: (name, signal) => processes.kill(name, signal),
    restarted: (before) => processes.restarted(before),
    stop: (signal) => processes.stop(signal),
    [Symbol.asyncDispose]: async () => {
      try {
        await processes.end();
      } finally {
        await removeState();
      }
    },
  };
}

/** The processes of a stack, by their names, and the one that watches over them. */
class StackProcesses {
  readonly #up: ChildProcess;
  readonly #state: string;
  /** As they were when they were last looked at. */
  #known: StackService[] = [];

  constructor(up: ChildProcess, state: string) {
    this.#up = up;
    this.#state = state;
  }

  async services(): Promise<StackService[]> {
    this.#known = await readServices(this.#state);
    return this.#known;
  }

  async service(name: string): Promise<StackService> {
    const found = (await this.services()).find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`the stack has no ${name}`);
    return found;
  }

  async kill(name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { pid } = await this.service(name);
    if (pid === null) throw new Error(`${name} is not running`);
    process.kill(pid, signal);
  }

  async restarted(before: StackService): Promise<StackService> {
    return waitUntil(
      async () => {
        const now = await this.service(before.name);
        return now.ready && now.pid !== before.pid ? now : undefined;
      },
      { what: `${before.name} to be back`, timeoutMs: RESTART_TIMEOUT_MS },
    );
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.#hasEnded()) {
      await this.services();
      this.#up.kill(signal);
      await waitUntil(() => this.#hasEnded(), {
        what: `the stack to stop after ${signal}`,
        timeoutMs: STOP_TIMEOUT_MS,
      });
    }
    return this.#up.exitCode;
  }

  /** Stops them and makes sure that none is left. */
  async end(): Promise<void> {
    try {
      await this.stop();
      await waitUntil(() => this.#known.every(({ pid }) => pid === null || !exists(pid)), {
        what: `the processes ${this.#known.map(({ name, pid }) => `${name} ${String(pid)}`).join(', ')} to end`,
      });
    } finally {
      this.#up.kill('SIGKILL');
    }
  }

  #hasEnded(): boolean {
    return this.#up.exitCode !== null || this.#up.signalCode !== null;
  }
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

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
