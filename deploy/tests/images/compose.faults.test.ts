import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotRun, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addressesOf,
  askFrom,
  connectFrom,
  networkOf,
  networkOfCommand,
  type NetworkOf,
} from './container-network.ts';
import { compose, composeMissing, docker, type ComposeProject } from './docker-compose.ts';
import { readDockerfile } from './read-dockerfile.ts';
import { PROGRAMS, readText } from './repository.ts';

const SERVICES = ['gateway', 'quota', 'catalog', 'usage', 'console', 'worker', 'simulator'];
/** Every container that keeps running, with the ports on which it listens. */
const PORTS: Readonly<Record<string, readonly number[]>> = {
  gateway: [8080, 8081],
  quota: [50051, 8081],
  catalog: [7002, 7003, 8081],
  usage: [7004, 8081],
  console: [7005, 8081],
  worker: [8081],
  simulator: [8000],
  redis: [6379],
  nats: [4222],
};
/** The containers that each container can reach. A network connects both ends, so a server reaches its clients too. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['catalog', 'console', 'nats', 'quota'],
  quota: ['console', 'gateway', 'redis'],
  catalog: ['console', 'gateway', 'nats', 'usage'],
  usage: ['catalog', 'console', 'nats'],
  console: ['catalog', 'gateway', 'nats', 'quota', 'usage'],
  worker: ['nats', 'simulator'],
  simulator: ['worker'],
  redis: ['quota'],
  nats: ['catalog', 'console', 'gateway', 'usage', 'worker'],
  sluice: ['catalog', 'console', 'gateway', 'nats', 'quota', 'usage'],
};
const composeText = await readText('deploy/compose.yaml');
const { NODE_IMAGE = '' } = readDockerfile(await readText('deploy/Dockerfile')).globals;
const foreignImages = Array.from(
  composeText.matchAll(/^ +image: ((?!sluice-).+)$/gm),
  ([, image = '']) => image,
);
/** The variables without which compose refuses to start. */
const SECRETS = Array.from(composeText.matchAll(/\$\{(\w+):\?/g), ([, name = '']) => name);
const missing = await composeMissing([NODE_IMAGE, ...foreignImages]);

/** Long, because packages are fetched and eight images are built. */
const BUILD_MS = 900_000;

describe.skipIf(cannotRun('images and compose', missing))('in containers', () => {
  const mark = `sluice-test-${randomBytes(4).toString('hex')}`;
  let project: ComposeProject;
  let folder = '';
  let key = '';
  /** The content of the file with passwords after the first start. */
  let made = '';

  const within = async (service: string): Promise<NetworkOf> =>
    service === 'sluice'
      ? networkOfCommand(project)
      : networkOf(project, service, `sluice-cli:${mark}`);

  const passwordOf = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(made)?.[1] ?? '';

  const sluice = async (parameters: readonly string[], input?: string) =>
    compose(
      project,
      ['run', '--rm', '--no-TTY', 'sluice', ...parameters, '--address', 'catalog:7003'],
      input,
    );

  const complete = async (orders: object) =>
    fetch(`http://127.0.0.1:${project.variables['PUBLISH_PORT']}/compat/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'quill/small-8b',
        stream: true,
        messages: [{ role: 'user', content: `Hello!\n@sim ${JSON.stringify(orders)}` }],
      }),
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-compose-'));
    project = {
      name: mark,
      variables: {
        PUBLISH_PORT: String(await findFreePort()),
        CONSOLE_PORT: String(await findFreePort()),
        TAG: mark,
      },
      envFile: join(folder, '.env'),
    };
    await compose(project, ['--profile', 'operator', 'build']);
    await compose(project, ['up', '--detach', '--wait']);
    made = await readFile(project.envFile, 'utf8');
    await sluice(['apply', '--file', '-'], await readText('deploy/examples/sluice.yaml'));
    key = /sk-\S+/.exec(await sluice(['keys', 'create', '--project', 'harbour-app']))?.[0] ?? '';
  }, BUILD_MS);

  afterAll(async () => {
    await compose(project, ['kill']);
    await compose(project, ['down', '--volumes', '--remove-orphans']);
    const images = [...SERVICES, 'cli'].map((image) => `sluice-${image}:${mark}`);
    await docker('image', 'rm', '--force', ...images);
    await rm(folder, { recursive: true });
  }, BUILD_MS);

  test('a key made with the command streams an answer to its end', async () => {
    const response = await complete({ tokens: 20 });
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/\ndata: \[DONE\]\n\n$/);
  });

  test.each(SERVICES)('%s runs without rights, on files that it cannot change', async (service) => {
    const attempt = `process.stdout.write(String(process.getuid()));
      for (const folder of ['/sluice', '/tmp', '/home/node']) {
        try { fs.writeFileSync(folder + '/written', ''); } catch (error) { process.stdout.write(' ' + error.code); }
      }`;
    const told = await compose(project, ['exec', '--no-TTY', service, 'node', '--eval', attempt]);
    expect(told).toBe('1000 EROFS EROFS EROFS');
  });

  test.each(Object.keys(PORTS))('%s has a read-only root and no capability', async (service) => {
    const files = ['/proc/1/status', '/proc/self/mounts'];
    const told = await compose(project, ['exec', '--no-TTY', service, 'cat', ...files]);
    const capabilities = Array.from(told.matchAll(/^Cap(\w+):\t(\w+)$/gm), ([, kind, bits]) => [
      kind,
      Number(bits),
    ]);
    expect(Object.fromEntries(capabilities)).toEqual({ Inh: 0, Prm: 0, Eff: 0, Bnd: 0, Amb: 0 });
    expect(told).toMatch(/^NoNewPrivs:\t1$/m);
    expect(told).toMatch(/^\S+ \/ \S+ ro,/m);
  });

  test('Redis is not run by root', async () => {
    const status = await compose(project, ['exec', '--no-TTY', 'redis', 'cat', '/proc/1/status']);
    expect(status).toMatch(/^Uid:\t(?!0\t)/m);
  });

  test.each(Object.entries(NEIGHBOURS))('%s can connect to %j alone', async (service, expected) => {
    const targets = [];
    for (const [name, ports] of Object.entries(PORTS)) {
      if (name === service) continue;
      // Uses addresses, because the name of a container is known only in its own networks.
      for (const host of await addressesOf(project, name)) {
        targets.push(...ports.map((port) => ({ name, host, port })));
      }
    }
    const outcomes = await connectFrom(await within(service), targets);
    const reached = outcomes.filter(({ outcome }) => outcome === 'CONNECTED');
    expect([...new Set(reached.map(({ name }) => name))].toSorted()).toEqual(expected);
  });

  test('only the worker and the services with a way out reach the machine', async () => {
    const find = "dns.lookup('host.docker.internal', (_, address) => console.log(address))";
    const host = await compose(project, ['exec', '--no-TTY', 'worker', 'node', '--eval', find]);
    // Nothing listens on this port. If the machine refuses the connection, it can be reached.
    const target = { name: 'machine', host: host.trim(), port: await findFreePort() };
    const outcomes: Record<string, string | undefined> = {};
    for (const service of Object.keys(NEIGHBOURS)) {
      const [tried] = await connectFrom(await within(service), [target]);
      outcomes[service] = tried?.outcome;
    }
    expect(outcomes).toEqual({
      ...Object.fromEntries(Object.keys(NEIGHBOURS).map((service) => [service, 'ENETUNREACH'])),
      gateway: 'ECONNREFUSED',
      console: 'ECONNREFUSED',
      // It sends webhooks.
      usage: 'ECONNREFUSED',
      worker: 'ECONNREFUSED',
    });
  });

  test('Redis serves the user of the limits with its password alone', async () => {
    const network = await within('quota');
    const server = { host: 'redis', port: 6379 };
    const say = async (...lines: string[]) => askFrom(network, server, [...lines, 'PING', 'QUIT']);
    const password = passwordOf('REDIS_PASSWORD');
    expect(await say()).toMatch(/^-NOAUTH/);
    expect(await say('AUTH quota wrong')).toMatch(/^-WRONGPASS[^]*-NOAUTH/);
    expect(await say(`AUTH default ${password}`)).toMatch(/^-WRONGPASS[^]*-NOAUTH/);
    expect(await say(`AUTH quota ${password}`)).toMatch(/^\+OK\r\n\+PONG/);
  });

  test.each(['gateway', 'worker-default', 'catalog', 'usage', 'console', 'operator'])(
    'NATS serves the user %s with its password alone',
    async (user) => {
      const network = await within('nats');
      const login = async (credentials: object) =>
        askFrom(network, { host: '127.0.0.1', port: 4222 }, [
          `CONNECT ${JSON.stringify({ verbose: false, ...credentials })}`,
          'PING',
        ]);
      const name = `NATS_${user.toUpperCase().replace('-', '_')}_PASSWORD`;
      expect(await login({})).toMatch(/-ERR 'Authorization Violation'/);
      expect(await login({ user })).toMatch(/-ERR 'Authorization Violation'/);
      expect(await login({ user, pass: 'wrong' })).toMatch(/-ERR 'Authorization Violation'/);
      expect(await login({ user, pass: passwordOf(name) })).toMatch(/PONG/);
    },
  );

  test('the first start made every password', () => {
    // A password is 24 bytes in hexadecimal, a key of the console 32 bytes in base64url.
    const secrets = made.matchAll(/^(\w+)=(?:k[0-9a-f]{48}|(?:console:)?[\w-]{43})$/gm);
    const names = Array.from(secrets, ([, name]) => name);
    expect(new Set(names)).toEqual(new Set(SECRETS));
  });

  test.each(SERVICES)('the image of %s holds no other program and no test', async (service) => {
    const search = `const files = fs.globSync('{packages,services}/*/src/**/*.ts', { cwd: '/sluice' });
      const programs = files.filter((file) => file.endsWith('/main.ts'));
      console.log([...programs, ...files.filter((file) => file.endsWith('.test.ts'))].join());`;
    const told = await compose(project, ['exec', '--no-TTY', service, 'node', '--eval', search]);
    expect(told).toBe(`${PROGRAMS[service]}/src/main.ts\n`);
  });

  test('a stop lets a running answer finish, and then all containers end', async () => {
    const response = await complete({ tokens: 200, ttft_ms: 0, itl_ms: 50 });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = (await reader?.read())?.value ?? '';
    const stopped = compose(project, ['stop']);
    for (;;) {
      const piece = await reader?.read();
      if (piece?.value === undefined) break;
      received += piece.value;
    }
    expect(received).toContain('"finish_reason":"stop"');
    expect(received).toMatch(/\ndata: \[DONE\]\n\n$/);
    await stopped;
    for (const service of SERVICES) {
      const id = (await compose(project, ['ps', '--all', '--quiet', service])).trim();
      expect(await docker('inspect', '--format={{.State.ExitCode}}', id)).toBe('0\n');
    }
  });

  test('a second start keeps the passwords and the data', async () => {
    await compose(project, ['up', '--detach', '--wait']);
    expect(await readFile(project.envFile, 'utf8')).toBe(made);
    const response = await waitUntil(
      async () => {
        const attempt = await complete({ tokens: 5 });
        return attempt.ok ? attempt : undefined;
      },
      { what: 'an answer', timeoutMs: 30_000 },
    );
    expect(await response.text()).toMatch(/\ndata: \[DONE\]\n\n$/);
  });
});
