import { createServer } from 'node:net';
import type { StartedTestContainer } from 'testcontainers';
import type { Backend, OwnServer } from './backend.ts';
import { answersAt, type ServerKind } from './server-answers.ts';
import { waitUntil } from './wait-until.ts';

const IMAGES = { redis: 'redis:8-alpine', nats: 'nats:2.12-alpine' } as const satisfies Record<
  ServerKind,
  string
>;
const PORTS = { redis: 6379, nats: 4222 } as const satisfies Record<ServerKind, number>;

const NATS_SETTINGS = 'max_payload: 8388608\njetstream { store_dir: "/data" }\n';
const COMMANDS = {
  redis: ['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', ''],
  nats: ['--config', '/etc/nats/sluice.conf'],
} as const satisfies Record<ServerKind, readonly string[]>;

/** An image that is not here must be fetched; a machine without network would wait for minutes. */
const FETCH_TIMEOUT_MS = 90_000;

/** Containers on the Docker engine of this machine; rejects when there is none, or the images cannot be had. */
export async function dockerBackend(): Promise<Backend> {
  // Loaded here because loading it takes longer than most tests.
  const { ImageName, getContainerRuntimeClient } = await import('testcontainers');
  const { image } = await getContainerRuntimeClient();
  await Promise.all(
    Object.values(IMAGES).map(async (name) => {
      const imageName = ImageName.fromString(name);
      if (!(await image.exists(imageName))) await withinTime(image.pull(imageName), name);
    }),
  );
  return {
    kind: 'docker',
    description: `containers of ${Object.values(IMAGES).join(' and ')}`,
    startRedis: async () => startContainer('redis'),
    startNats: async () => startContainer('nats'),
  };
}

async function withinTime(pulling: Promise<void>, name: string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`cannot fetch the image ${name}`)),
    FETCH_TIMEOUT_MS,
  );
  try {
    await Promise.race([pulling, promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function startContainer(kind: ServerKind): Promise<OwnServer> {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers');
  // Docker gives a restarted container another port unless it was told one.
  const port = await freePort();
  const definition = new GenericContainer(IMAGES[kind])
    .withCommand([...COMMANDS[kind]])
    .withExposedPorts({ container: PORTS[kind], host: port })
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections|Server is ready/));
  if (kind === 'nats') {
    definition.withCopyContentToContainer([
      { content: NATS_SETTINGS, target: '/etc/nats/sluice.conf' },
    ]);
  }
  const container: StartedTestContainer = await definition.start();
  const host = container.getHost();
  const handle = (await getContainerRuntimeClient()).container.getById(container.getId());
  const answering = () =>
    waitUntil(() => answersAt(kind, { host, port }), {
      what: `${kind} to answer`,
      timeoutMs: 30_000,
    });
  await answering();
  return {
    url: `${kind}://${host}:${port}`,
    kill: async () => {
      await handle.kill({ signal: 'SIGKILL' });
    },
    restart: async () => {
      await handle.start();
      await answering();
    },
    pause: async () => {
      await handle.pause();
    },
    resume: async () => {
      await handle.unpause();
    },
    [Symbol.asyncDispose]: async () => {
      await container.stop({ timeout: 0 });
    },
  };
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => {
      if (address === null || typeof address === 'string') reject(new Error('no free port'));
      else resolve(address.port);
    });
  });
  return promise;
}
