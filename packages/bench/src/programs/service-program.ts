import { join } from 'node:path';
import { LOOPBACK, findFreePort, type ChildProgram } from '@sluice/servers';
import { INSPECTABLE } from '../measure/collect-garbage.ts';
import { answers, startProgram } from './child-program.ts';
import { ROOT } from './repository.ts';

export type ServiceName = 'gateway' | 'quota' | 'catalog' | 'worker' | 'usage';

export type ServiceProgram = ChildProgram & {
  /** Time from the start of the process until it was ready. */
  readonly readyAfterMs: number;
};

/** Starts one service alone. The settings are environment variables. */
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
    tether: true,
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
