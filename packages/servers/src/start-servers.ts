import { mkdirSync } from 'node:fs';
import { findFreePort } from './loopback-port.ts';
import { planNats } from './plan-nats.ts';
import { planRedis } from './plan-redis.ts';
import type { PlanOptions, ServerPlan } from './server-plan.ts';
import {
  ServerStartError,
  startServer,
  type ProcessOptions,
  type RunningServer,
} from './server-process.ts';

interface PortOptions {
  /** Without one a free port is chosen; give that of a server that ended to replace it. */
  readonly port?: number;
  readonly choosePort?: () => Promise<number>;
}

export type StartOptions = Omit<PlanOptions, 'port'> & ProcessOptions & PortOptions;

const PORT_ATTEMPTS = 10;

export async function startRedis(options: StartOptions): Promise<RunningServer> {
  return start(options, (port) => planRedis({ ...options, port }));
}

export async function startNats(options: StartOptions): Promise<RunningServer> {
  return start(options, (port) => planNats({ ...options, port }));
}

async function start(
  options: StartOptions,
  plan: (port: number) => ServerPlan,
): Promise<RunningServer> {
  mkdirSync(options.dataFolder, { recursive: true, mode: 0o700 });
  if (options.port !== undefined) return startServer(plan(options.port), options);
  const { choosePort = findFreePort } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startServer(plan(await choosePort()), options);
    } catch (error) {
      // Somebody took the port between our look and the server's start.
      const again = error instanceof ServerStartError && error.portTaken;
      if (!again || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
