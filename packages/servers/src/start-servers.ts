import { mkdirSync } from 'node:fs';
import { startProgram, type ChildProgram } from './child-program.ts';
import { openLogFile } from './log-file.ts';
import { findFreePort } from './loopback-port.ts';
import { planNats } from './plan-nats.ts';
import { planRedis } from './plan-redis.ts';
import type { PlanOptions, ServerPlan } from './server-plan.ts';
import { StartFailure } from './start-failure.ts';

/** A server that was started by this process. It may have ended since. Disposing of it stops it. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly program: ChildProgram;
}

export interface StartServerOptions extends Omit<PlanOptions, 'port'> {
  readonly logFile: string;
  /** The start may take long if the server has much data to load. */
  readonly readyTimeoutMs?: number | undefined;
  readonly graceMs?: number | undefined;
  /** By default, a free port is chosen. To replace a server that has ended, pass its port. */
  readonly port?: number | undefined;
  readonly choosePort?: () => Promise<number>;
}

const PORT_ATTEMPTS = 10;
const PORT_TAKEN = /address already in use|port is already allocated/i;

export async function startRedis(options: StartServerOptions): Promise<RunningServer> {
  return start(options, (port) => planRedis({ ...options, port }));
}

export async function startNats(options: StartServerOptions): Promise<RunningServer> {
  return start(options, (port) => planNats({ ...options, port }));
}

async function start(
  options: StartServerOptions,
  plan: (port: number) => ServerPlan,
): Promise<RunningServer> {
  mkdirSync(options.dataFolder, { recursive: true, mode: 0o700 });
  if (options.port !== undefined) return startServer(plan(options.port), options);
  const { choosePort = findFreePort } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startServer(plan(await choosePort()), options);
    } catch (error) {
      // Another program took the port after it was found to be free.
      const isPortTaken = error instanceof StartFailure && PORT_TAKEN.test(error.message);
      if (!isPortTaken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startServer(
  plan: ServerPlan,
  { logFile, readyTimeoutMs, graceMs }: StartServerOptions,
): Promise<RunningServer> {
  using opened = new DisposableStack();
  const log = opened.use(openLogFile(logFile));
  const program = await startProgram({
    ...plan,
    name: plan.kind,
    log,
    readyTimeoutMs,
    graceMs,
    isReady: ({ pid }) => plan.answers(pid),
  });
  const kept = opened.move();
  void program.ended.then(() => kept.dispose());
  return {
    url: plan.url,
    port: plan.port,
    program,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
