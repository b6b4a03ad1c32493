import { connect } from 'node:net';
import { join } from 'node:path';
import { findFreePort, type BackingKind } from '@sluice/backing';
import type { Backend, OwnServer } from './backend.ts';
import { waitUntil } from './wait-until.ts';

const deploy = join(import.meta.dirname, '../../../deploy');
const SETTINGS = '/etc/sluice-server.conf';

/** The same as the bootstrap's. */
export const IMAGES = { redis: 'redis:7-alpine', nats: 'nats:2.10-alpine' } as const;

interface Container {
  readonly image: string;
  readonly port: number;
  readonly settings: string;
  readonly command: readonly string[];
  /** What it says, when it serves, to what is said to it. */
  readonly greeting: { readonly say: string; readonly hear: string };
}

const CONTAINERS: Readonly<Record<BackingKind, Container>> = {
  redis: {
    image: IMAGES.redis,
    port: 6379,
    settings: join(deploy, 'redis/redis.conf'),
    command: ['redis-server', SETTINGS, '--bind', '0.0.0.0', '--protected-mode', 'no'],
    greeting: { say: 'PING\r\n', hear: '+PONG' },
  },
  nats: {
    image: IMAGES.nats,
    port: 4222,
    settings: join(deploy, 'nats/nats.conf'),
    command: ['--config', SETTINGS, '--addr', '0.0.0.0', '--store_dir', '/data'],
    greeting: { say: '', hear: 'INFO ' },
  },
};

/** An image that is not here must be fetched; a machine without network would wait for minutes. */
const FETCH_TIMEOUT_MS = 90_000;
const START_TIMEOUT_MS = 30_000;

/** Containers on the Docker engine of this machine; rejects when there is none, or the images cannot be had. */
export async function dockerBackend(): Promise<Backend> {
  // Loaded here because loading it takes longer than most tests.
  const { ImageName, getContainerRuntimeClient, getReaper } = await import('testcontainers');
  const engine = await getContainerRuntimeClient();
  const { image: images } = engine;
  const names = Object.values(CONTAINERS).map(({ image }) => image);
  for (const name of names) {
    const image = ImageName.fromString(name);
    if (!(await images.exists(image))) await withinTime(images.pull(image), name);
  }
  // What removes the containers of a run that was killed comes as an image too.
  await withinTime(getReaper(engine), 'that removes containers');
  return {
    kind: 'docker',
    description: `containers of ${names.join(' and ')}`,
    startRedis: async () => startContainer('redis'),
    startNats: async () => startContainer('nats'),
  };
}

async function withinTime(pulling: Promise<unknown>, name: string): Promise<void> {
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

async function startContainer(kind: BackingKind): Promise<OwnServer> {
  const { image, port: containerPort, settings, command, greeting } = CONTAINERS[kind];
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers');
  // Docker gives a restarted container another port unless it was told one.
  const port = await findFreePort();
  const container = await new GenericContainer(image)
    .withCommand([...command])
    .withCopyFilesToContainer([{ source: settings, target: SETTINGS }])
    .withExposedPorts({ container: containerPort, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections|Server is ready/))
    .start();
  const host = container.getHost();
  const engine = await getContainerRuntimeClient();
  const handle = engine.container.getById(container.getId());
  const answers = async () =>
    waitUntil(() => isGreeted({ host, port }, greeting), {
      what: `${kind} to answer`,
      timeoutMs: START_TIMEOUT_MS,
    });
  await answers();
  return {
    url: `${kind}://${host}:${port}`,
    kill: async () => {
      await handle.kill({ signal: 'SIGKILL' });
    },
    terminate: async () => {
      await handle.stop();
    },
    restart: async () => {
      await handle.start();
      await answers();
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

/** The engine holds the port before the server behind it serves, so the server itself is asked. */
async function isGreeted(
  address: { host: string; port: number },
  { say, hear }: Container['greeting'],
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ ...address, timeout: 1_000 }, () => socket.write(say));
  socket.once('data', (bytes) => resolve(bytes.toString('latin1').startsWith(hear)));
  for (const ending of ['error', 'timeout', 'close']) socket.once(ending, () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
