import type { TestProject } from 'vitest/node';
import { chooseBackend } from './servers/choose-backend.ts';
// Declares the type of what `provide('sluiceServers', …)` takes.
import './servers/shared-servers.ts';

interface Run {
  readonly servers: Promise<StartedServers>;
  /** Vitest calls `setup` and `teardown` for each of its projects. The last teardown stops the servers. */
  projects: number;
}

type StartedServers = Awaited<ReturnType<typeof startServers>>;

/** The test files of one run share one Redis and one NATS. Each file uses its own names there. */
let run: Run | undefined;

export async function setup(project: TestProject): Promise<void> {
  run ??= { servers: startServers(), projects: 0 };
  run.projects += 1;
  const { shared } = await run.servers;
  project.provide('sluiceServers', shared);
}

export async function teardown(): Promise<void> {
  if (run === undefined) return;
  run.projects -= 1;
  if (run.projects > 0) return;
  const { servers } = run;
  run = undefined;
  const { stack } = await servers;
  await stack.disposeAsync();
}

async function startServers() {
  const backend = await chooseBackend(process.env);
  console.log(`Redis and NATS for tests: ${backend.description}`);
  // If one server cannot be started, the other one is stopped.
  await using started = new AsyncDisposableStack();
  const starting = [
    backend.startRedis().then((server) => started.use(server)),
    backend.startNats().then((server) => started.use(server)),
  ] as const;
  await Promise.allSettled(starting);
  const [redis, nats] = await Promise.all(starting);
  const shared = { backend: backend.kind, redisUrl: redis.url, natsUrl: nats.url };
  return { shared, stack: started.move() };
}
