import { startSluice, type SluiceService } from '@sluice/servers';
import { afterAll, beforeAll } from 'vitest';
import { waitUntil } from '../runner/wait-until.ts';
import { withServerPrograms } from '../servers/server-programs.ts';
import { freezeProcess } from './freeze-process.ts';
import type { StackOptions, TestStack } from './test-stack.ts';

const RESTART_TIMEOUT_MS = 30_000;

/**
 * A machine that runs many tests may pause for longer than the default deadline of an admission. Requests would then be
 * refused in tests that are not about deadlines. Tests of the deadlines set their own.
 */
const LONG_DEADLINES = { QUOTA_DEADLINE_MS: '5000', REDIS_DEADLINE_MS: '4000' } as const;

/** Starts a stack on free ports with `sluice up`, like a user. */
export async function startStack(options: StackOptions = {}): Promise<TestStack> {
  const sluice = await startSluice({
    ...options,
    environment: {
      ...withServerPrograms(process.env),
      ...LONG_DEADLINES,
      ...options.environment,
    },
  });
  /** The services as they were at the last check. */
  let known: readonly SluiceService[] = [];
  const services = async () => {
    const found = await sluice.services();
    known = found;
    return found;
  };
  const service = async (name: string) => {
    const found = (await services()).find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`the stack has no ${name}`);
    return found;
  };
  await services();
  return {
    ...sluice,
    services,
    service,
    kill: async (name, signal = 'SIGKILL') => {
      const { pid } = await service(name);
      if (pid === null) throw new Error(`${name} is not running`);
      // After a plain SIGSTOP on a busy machine, a thread could still answer for a moment.
      if (signal === 'SIGSTOP') await freezeProcess(pid);
      else process.kill(pid, signal);
    },
    restarted: async (before) =>
      waitUntil(
        async () => {
          const now = await service(before.name);
          return now.ready && now.pid !== before.pid ? now : undefined;
        },
        { what: `${before.name} to be back`, timeoutMs: RESTART_TIMEOUT_MS },
      ),
    [Symbol.asyncDispose]: async () => {
      // `sluice up` lists the services in a file and removes it at its end, so the list may no longer be readable.
      await services().catch(() => undefined);
      await sluice[Symbol.asyncDispose]();
      await waitUntil(() => known.every(({ pid }) => pid === null || !exists(pid)), {
        what: `the processes ${known.map(({ name, pid }) => `${name} ${String(pid)}`).join(', ')} to end`,
      });
    },
  };
}

/** Starts a stack for a test file. Call it at the top of the file, and use the stack in hooks and tests. */
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
