import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartFailure } from '@sluice/servers';
import { INSPECTABLE } from '../measure/collect-garbage.ts';
import { startStack, type SluiceStack, type StackProcess } from '../programs/sluice-stack.ts';
import { createTenantOf } from '../programs/tenant.ts';
import { CannotRun, targetOf, type Contestant, type StartContestant } from './contestant.ts';

export interface SluiceContestant extends Contestant {
  readonly stack: SluiceStack;
}

/** The worker accepts as much as the simulated runtime can run, because the comparison measures relaying. */
export const WORKER_SETTINGS = { SLOTS: '4096', QUEUE_LIMIT: '1024' } as const;

/** A complete Sluice: authentication, four limits, the bus and a worker, each in its own process. */
export const startSluice = async (
  context: Parameters<StartContestant>[0],
  settings: Readonly<Record<string, string>> = {},
  repository?: string,
): Promise<SluiceContestant> => {
  try {
    const stack = await startStack({
      runtimes: [context.simulator.url],
      environment: { ...INSPECTABLE, ...WORKER_SETTINGS, ...settings },
      ...(repository === undefined ? {} : { repository }),
    });
    const { apiKey } = await createTenantOf(stack, 'bench');
    const running = (await stack.processes()).filter(hasPid);
    return {
      name: 'sluice',
      description: 'Sluice whole: gateway, quota, catalog, worker, Redis and NATS, 1 process each',
      target: targetOf(stack.baseUrl, `${new URL(stack.apiRoot).pathname}/chat/completions`, {
        authorization: `Bearer ${apiKey}`,
      }),
      processes: Object.fromEntries(running.map(({ name, pid }) => [name, [pid]])),
      nodeProcesses: running
        .filter(({ healthUrl }) => healthUrl !== null)
        .map(({ name, pid }) => ({
          pid,
          errorOutput: () => readFile(join(stack.logs, `${name}.log`), 'utf8'),
        })),
      stack,
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    if (error instanceof StartFailure) throw new CannotRun(error.message, { cause: error });
    throw error;
  }
};

function hasPid(process: StackProcess): process is StackProcess & { pid: number } {
  return process.pid !== null;
}

export function isSluice(contestant: Contestant): contestant is SluiceContestant {
  return contestant.name === 'sluice' && 'stack' in contestant;
}
