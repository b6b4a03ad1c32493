import { join } from 'node:path';
import { LOOPBACK, findFreePort } from '@sluice/backing';
import { INSPECTABLE } from '../measure/collect-garbage.ts';
import { answers, startProgram, type ChildProgram } from './child-program.ts';
import { ROOT } from './repository.ts';

export type ServiceName = 'gateway' | 'quota' | 'catalog' | 'worker';

export interface ServiceProgram extends ChildProgram {
  /** From the start of the process until it was ready. */
  readonly readyAfterMs: number;
}

/** One service alone, with its settings by the names of their environment variables. */
export async function startServiceProgram(
  name: ServiceName,
  settings: Readonly<Record<string, string>>,
): Promise<ServiceProgram> {
  const healthPort = await findFreePort();
  const startedAt = performance.now();
  const program = await startProgram({
    name,
    program: process.execPath,
    parameters: [join(ROOT, `services/${name}/src/main.ts`)],
    environment: {
      ...INSPECTABLE,
      HEALTH_HOST: LOOPBACK,
      HEALTH_PORT: String(healthPort),
      ...settings,
    },
    isReady: () => answers(`http://${LOOPBACK}:${healthPort}/readyz`),
  });
  return Object.assign(program, { readyAfterMs: performance.now() - startedAt });
}
