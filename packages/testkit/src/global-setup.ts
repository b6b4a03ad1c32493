import type { TestProject } from 'vitest/node';
import { chooseBackend } from './choose-backend.ts';
import './shared-servers.ts';

interface Run {
  readonly servers: Promise<StartedServers>;
  projects: number;
}

type StartedServers = Awaited<ReturnType<typeof startServers>>;

/** The suites of one run share one Redis and one NATS; each file has names of its own there. */
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
  const stack = new AsyncDisposableStack();
  const [redis, nats] = await Promise.all([backend.startRedis(), backend.startNats()]);
  stack.use(redis);
  stack.use(nats);
  const shared = { backend: backend.kind, redisUrl: redis.url, natsUrl: nats.url };
  return { shared, stack };
}
