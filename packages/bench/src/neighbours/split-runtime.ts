import { fileURLToPath } from 'node:url';
import { startProgram } from '../programs/child-program.ts';
import { startSimulatorProgram } from '../programs/simulator-program.ts';

export interface SplitRuntime {
  readonly url: string;
  readonly pids: readonly number[];
  /** Returns when no generation runs or waits. */
  idle(): Promise<void>;
}

const PROCESS = fileURLToPath(new URL('split-runtime-process.ts', import.meta.url));
/** The context has room for the longest prompt that fits into the largest body. */
const MODELS = { models: 'sluice-small:context=10000000' } as const;

/** Starts a simulated runtime of two processes, one for short requests and one for long ones. */
export async function startSplitRuntime(cleanUp: AsyncDisposableStack): Promise<SplitRuntime> {
  const short = cleanUp.use(await startSimulatorProgram(MODELS));
  const long = cleanUp.use(await startSimulatorProgram(MODELS));
  const front = cleanUp.use(
    await startProgram({
      name: 'split runtime',
      program: process.execPath,
      parameters: [PROCESS, short.url, long.url],
    }),
  );
  return {
    url: await front.firstLine,
    pids: [short.pid, long.pid, front.pid],
    idle: () => long.idle(),
  };
}
