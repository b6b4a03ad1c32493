import { join } from 'node:path';
import { LOOPBACK, findFreePort } from '@sluice/servers';
import { ANY_CREDENTIAL, COMPLETIONS, targetOf } from '../contestants/contestant.ts';
import type { Target } from '../load/load-options.ts';
import { startProgram } from '../programs/child-program.ts';
import type { BareGatewayOptions, BareStep } from './bare-gateway-options.ts';

export interface BareGateway extends AsyncDisposable {
  readonly pid: number;
  readonly target: Target;
}

const PROCESS = join(import.meta.dirname, 'bare-gateway-process.ts');

/** Starts a bare gateway of this step, on the quota service and the bus of a stack. */
export async function startBareGateway(
  step: BareStep,
  servers: Pick<BareGatewayOptions, 'quotaAddress' | 'natsUrl'>,
): Promise<BareGateway> {
  const options: BareGatewayOptions = { step, port: await findFreePort(), ...servers };
  const program = await startProgram({
    name: `bare gateway (${step})`,
    program: process.execPath,
    parameters: [PROCESS, JSON.stringify(options)],
    isReady: async ({ firstLine }) => (await firstLine) !== '',
  });
  return {
    pid: program.pid,
    target: targetOf(`http://${LOOPBACK}:${options.port}`, COMPLETIONS, {
      authorization: ANY_CREDENTIAL,
    }),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
