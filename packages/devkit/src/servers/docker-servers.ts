import { connect } from 'node:net';
import { join } from 'node:path';
import { findFreePort, type BackingKind } from '@sluice/servers';
import { waitUntil } from '../runner/wait-until.ts';
import type { Backend, OwnServer } from './backend.ts';

const deploy = join(import.meta.dirname, '../../../../deploy');
const SETTINGS = '/etc/sluice-server.conf';

/** The same images as in the bootstrap. */
export const IMAGES = { redis: 'redis:7-alpine', nats: 'nats:2.10-alpine' } as const;

interface Container {
  readonly image: string;
  readonly port: number;
  readonly settings: string;
  readonly command: readonly string[];
  /** What is sent to the server to find out whether it serves, and the beginning of its answer. */
  readonly probe: { readonly send: string; readonly expect: string };
}

const CONTAINERS: Readonly<Record<BackingKind, Container>> = {
  redis: {
    image: IMAGES.redis,
    port: 6379,
    settings: join(deploy, 'redis/redis.conf'),
    command: ['redis-server', SETTINGS, '--bind', '0.0.0.0', '--protected-mode', 'no'],
    probe: { send: 'PING\r\n', expect: '+PONG' },
  },
  nats: {
    image: IMAGES.nats,
    port: 4222,
    settings: join(deploy, 'nats/nats.conf'),
    command: ['--config', SETTINGS, '--addr', '0.0.0.0', '--store_dir', '/data'],
    probe: { send: '', expect: 'INFO ' },
  },
};

/** Time limit for fetching an image. A machine without a network would otherwise wait for minutes. */
const FETCH_TIMEOUT_MS = 90_000;
const START_TIMEOUT_MS = 30_000;

/** Runs servers in containers. Rejects if this machine has no Docker engine, or if the images are not available. */
export async function dockerBackend(): Promise<Backend> {
  // Loaded only when it is used, because loading it takes longer than most tests.
  const { ImageName, getContainerRuntimeClient, getReaper } = await import('testcontainers');
  const engine = await getContainerRuntimeClient();
  const { image: images } = engine;
  const names = Object.values(CONTAINERS).map(({ image }) => image);
  for (const name of names) {
    const image = ImageName.fromString(name);
    if (!(await images.exists(image))) await limitFetch(images.pull(image), `the image ${name}`);
  }
  // The reaper is a container that removes the containers of a run that was killed. Its image may have to be fetched.
  await limitFetch(getReaper(engine), 'the image of the reaper');
  return {
    kind: 'docker',
    description: `containers of ${names.join(' and ')}`,
    startRedis: async () => startContainer('redis'),
    startNats: async () => startContainer('nats'),
  };
}

/** Rejects if the fetch takes longer than its time limit. */
async function limitFetch(fetching: Promise<unknown>, what: string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`cannot fetch ${what} in time`)),
    FETCH_TIMEOUT_MS,
  );
  try {
    await Promise.race([fetching, promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function startContainer(kind: BackingKind): Promise<OwnServer> {
  const { image, port: containerPort, settings, command, probe } = CONTAINERS[kind];
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers');
  // The port is chosen here, because Docker would give a restarted container another port.
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
    waitUntil(() => answersAsExpected({ host, port }, probe), {
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

/** Whether the server answers. An open port is not enough, because Docker opens it before the server is ready. */
async function answersAsExpected(
  address: { host: string; port: number },
  { send, expect }: Container['probe'],
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ ...address, timeout: 1_000 }, () => socket.write(send));
  socket.once('data', (bytes) => resolve(bytes.toString('latin1').startsWith(expect)));
  for (const ending of ['error', 'timeout', 'close']) socket.once(ending, () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
