import { join } from 'node:path';
import * as z from 'zod';
import { startProgram } from './child-program.ts';
import { ROOT } from './repository.ts';

/** The simulated runtime behind every contestant. */
export interface SimulatorProgram extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  state(): Promise<RuntimeState>;
  /** Returns when no generation runs or waits. */
  idle(): Promise<void>;
}

const StartedLine = z.object({ url: z.url() });

const State = z.object({
  running: z.int(),
  waiting: z.int(),
  accepted: z.int(),
  started: z.int(),
  finished: z.int(),
  aborted: z.int(),
  aborted_waiting: z.int(),
  failed: z.int(),
});
export type RuntimeState = z.infer<typeof State>;

const IDLE_TIMEOUT_MS = 40_000;
const CHECK_EVERY_MS = 20;

export async function startSimulatorProgram(
  settings: Readonly<Record<string, string | number>> = {},
): Promise<SimulatorProgram> {
  const given = { port: 0, slots: 100_000, 'ttft-ms': 0, 'itl-ms': 0, ...settings };
  const program = await startProgram({
    name: 'simulator',
    program: process.execPath,
    parameters: [
      join(ROOT, 'packages/simulator/src/main.ts'),
      ...Object.entries(given).map(([name, value]) => `--${name}=${value}`),
    ],
    tether: true,
    environment: { HOST: '127.0.0.1' },
  });
  const { url } = StartedLine.parse(JSON.parse(await program.firstLine));
  const state = async () => {
    const response = await fetch(`${url}/sim/state`);
    return State.parse(await response.json());
  };
  return {
    url,
    pid: program.pid,
    state,
    idle: async () => {
      const giveUpAt = performance.now() + IDLE_TIMEOUT_MS;
      for (;;) {
        const { running, waiting } = await state();
        if (running === 0 && waiting === 0) return;
        if (performance.now() > giveUpAt) {
          throw new Error(`the runtime still works on ${running + waiting} requests`);
        }
        await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
      }
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
