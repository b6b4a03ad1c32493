import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { readDockerfile, textsOf } from './read-dockerfile.ts';
import { PROGRAMS, ROOT, readText, settingsOf } from './repository.ts';

const Service = z.object({
  image: z.string(),
  command: z.array(z.string()).default([]),
  build: z.object({ context: z.string(), dockerfile: z.string(), target: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  profiles: z.array(z.string()).default([]),
  read_only: z.boolean().default(false),
  init: z.boolean().default(false),
  pull_policy: z.string().optional(),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  ulimits: z.record(z.string(), z.number()).default({}),
  networks: z.array(z.string()).default([]),
});
type Service = z.infer<typeof Service>;

const run = promisify(execFile);

const text = await readText('deploy/compose.yaml');
const { services, networks } = z
  .object({
    services: z.record(z.string(), Service),
    networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  })
  .parse(parse(text, { merge: true }));
const dockerfile = readDockerfile(await readText('deploy/Dockerfile'));
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);

function service(name: string): Service {
  const found = services[name];
  if (found === undefined) throw new Error(`deploy/compose.yaml has no service ${name}`);
  return found;
}

function imageOf({ build }: Service): string {
  return build?.target ?? '';
}

/** The services that must still run while this service stops: its dependencies, direct and indirect. */
function neededBy(name: string): string[] {
  const direct = Object.keys(service(name).depends_on);
  return [...new Set([...direct, ...direct.flatMap(neededBy)])].toSorted();
}

function graceMs(name: string): number {
  return Number.parseInt(service(name).stop_grace_period ?? '0', 10) * 1_000;
}

test('every image is run, under its own name, and none of them comes from a registry', () => {
  expect(ours.map(([, found]) => imageOf(found)).toSorted()).toEqual(
    Object.keys(PROGRAMS).toSorted(),
  );
  for (const [, found] of ours) {
    expect(found.image).toBe(`sluice-${imageOf(found)}:\${TAG:-local}`);
    expect(found.build).toMatchObject({ context: '..', dockerfile: 'deploy/Dockerfile' });
    expect(found.pull_policy).toBe('never');
  }
});

test('the images are built from the base images of the Dockerfile, unless others are set', () => {
  expect(text).toContain(`\${NODE_IMAGE:-${dockerfile.globals['NODE_IMAGE']}}`);
});

test('Redis and NATS have the versions of the bootstrap', async () => {
  const script = await readText('deploy/bootstrap/servers.sh');
  expect(service('redis').image).toBe(/^redis_image=(.*)$/m.exec(script)?.[1]);
  expect(service('nats').image).toBe(/^nats_image=(.*)$/m.exec(script)?.[1]);
});

test('every variable that can be set is named at the top, and no other', () => {
  const used = Array.from(text.matchAll(/\$\{(\w+)/g), ([, name = '']) => name);
  const [head = ''] = text.split('\nname: ');
  const told = Array.from(
    head.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b|\b(?:TAG|CURRENCY)\b/g),
    ([name]) => name,
  );
  expect([...new Set(told)].toSorted()).toEqual([...new Set(used)].toSorted());
});

test('nothing starts without the passwords, and the script makes each of them', async () => {
  const required = Array.from(
    text.matchAll(/\$\{(\w+):\?start with deploy\/compose\.sh\}/g),
    ([, name]) => name,
  );
  const secrets = Array.from(
    text.matchAll(/\$\{(\w+_(?:PASSWORD|TOKEN|KEY))\b/g),
    ([, name]) => name,
  ).filter((name) => name !== 'RUNTIME_API_KEY');
  expect(new Set(required)).toEqual(new Set(secrets));
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sluice-passwords-'));
  const file = join(folder.path, '.env');
  const make = () => run('sh', [join(ROOT, 'deploy/passwords.sh'), file]);
  // A file that was edited by hand and lacks the newline at its end.
  await writeFile(file, 'ADMIN_TOKEN=one-of-my-own\nTAG=mine');
  await make();
  const made = await readFile(file, 'utf8');
  const lines = made.trim().split('\n');
  expect(lines.slice(0, 2)).toEqual(['ADMIN_TOKEN=one-of-my-own', 'TAG=mine']);
  const passwords = new Map(lines.slice(2).map((line) => line.split('=', 2) as [string, string]));
  expect(new Set(['ADMIN_TOKEN', ...passwords.keys()])).toEqual(new Set(required));
  expect(new Set(passwords.values()).size).toBe(passwords.size);
  for (const [name, password] of passwords) {
    expect(password).toMatch(
      name.startsWith('CONSOLE_') ? /^(?:console:)?[\w-]{43}$/ : /^k[0-9a-f]{48}$/,
    );
  }
  await make();
  expect(await readFile(file, 'utf8')).toBe(made);
});

test('the script writes a file that other users of the machine cannot read', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sluice-passwords-'));
  const file = join(folder.path, '.env');
  await run('sh', [join(ROOT, 'deploy/passwords.sh'), file]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('each service has its own user of NATS and of Redis', () => {
  const userOf = (name: string) =>
    /^nats:\/\/([^:]+):/.exec(service(name).environment['NATS_URL'] ?? '');
  const users = ['gateway', 'worker', 'catalog', 'usage', 'console'].map(
    (name) => userOf(name)?.[1],
  );
  expect(users).toEqual(['gateway', 'worker-default', 'catalog', 'usage', 'console']);
  expect(service('quota').environment).toMatchObject({ REDIS_USERNAME: 'quota' });
  expect(service('nats').command).toContain('/etc/sluice/with-accounts.conf');
  expect(service('redis').command.join(' ')).toContain('user default off');
});

test('the pages of NATS, which list the connections of all users, are for its own container', async () => {
  expect(await readText('deploy/nats/with-accounts.conf')).toContain('http: "127.0.0.1:8222"');
  expect(service('nats').command.join(' ')).not.toMatch(/-m |http/);
});

test('only gateway and console are published, and only on this machine unless configured otherwise', () => {
  const published = Object.entries(services).filter(([, { ports }]) => ports.length > 0);
  expect(published.map(([name]) => name)).toEqual(['gateway', 'console']);
  expect(service('console').ports).toEqual([
    '${PUBLISH_ADDRESS:-127.0.0.1}:${CONSOLE_PORT:-7005}:7005',
  ]);
  expect(service('gateway').ports).toEqual([
    '${PUBLISH_ADDRESS:-127.0.0.1}:${PUBLISH_PORT:-8080}:8080',
  ]);
});

describe.each(ours)('%s', (_, found) => {
  test('gets only settings of its program', async () => {
    const settings = Object.keys(await settingsOf(imageOf(found)));
    expect(settings).toEqual(expect.arrayContaining(Object.keys(found.environment)));
  });

  test('finds its neighbours by their names, on the ports of their images', () => {
    const given = Object.values(found.environment).join(' ');
    for (const [, name = '', port] of given.matchAll(/(?<![\w$])([a-z]+):(\d+)\b/g)) {
      const image = imageOf(service(name));
      const exposed = textsOf(dockerfile.stages.get(image)?.all ?? [], 'EXPOSE').join(' ');
      const ports = { redis: '6379', nats: '4222' }[name] ?? exposed;
      expect(ports.split(' ')).toContain(port);
    }
  });

  test('shares a network with each neighbour that it names', () => {
    const given = Object.values(found.environment).join(' ');
    for (const [, name = ''] of given.matchAll(/(?<![\w$])([a-z]+):\d+\b/g)) {
      const shared = service(name).networks.filter((network) => found.networks.includes(network));
      expect(shared, `networks with ${name}`).toHaveLength(1);
    }
  });

  test('is not process 1, so that a stop reaches it before Node listens for it', () => {
    expect(found.init).toBe(true);
  });
});

test.each(Object.entries(services))(
  '%s runs on a read-only root without capabilities',
  (_, found) => {
    expect(found).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  },
);

test('only gateway, console, worker and usage are in a network that leads outside, each in a separate one', () => {
  const open = Object.keys(networks).filter((name) => networks[name]?.internal !== true);
  const members = open.map((network) =>
    Object.keys(services).filter((name) => service(name).networks.includes(network)),
  );
  expect(members).toEqual([['gateway'], ['console'], ['worker'], ['usage']]);
});

test('nothing that prompts pass through leaves a core dump', () => {
  for (const { ulimits } of Object.values(services)) expect(ulimits).toEqual({ core: 0 });
});

test('the command is started only when it is called', () => {
  expect(service('sluice').profiles).toEqual(['operator']);
});

test('the services that a request needs stop only after the gateway has drained', () => {
  expect(neededBy('gateway')).toEqual(['catalog', 'nats', 'quota', 'redis', 'simulator', 'worker']);
  expect(neededBy('worker')).toEqual(['nats', 'simulator']);
});

test('a stop leaves every service the time that its drain may take', async () => {
  const gateway = { ...(await settingsOf('gateway')), ...service('gateway').environment };
  const worker = { ...(await settingsOf('worker')), ...service('worker').environment };
  const drainMs = Number(gateway['DRAIN_ANNOUNCE_MS']) + Number(gateway['DRAIN_LIMIT_MS']);
  expect(graceMs('gateway')).toBeGreaterThanOrEqual(drainMs + 10_000);
  expect(graceMs('worker')).toBeGreaterThanOrEqual(Number(worker['DRAIN_TIMEOUT_MS']) + 10_000);
  const { CHANGE_TIMEOUT_MS } = await settingsOf('catalog');
  expect(graceMs('catalog')).toBeGreaterThanOrEqual(Number(CHANGE_TIMEOUT_MS) + 10_000);
});

test('the simulator serves the models of the example that its worker’s pool has', async () => {
  // A model with several targets has neither a pool nor a runtime model of its own.
  const Model = z.object({
    pool: z.string().optional(),
    runtime_model: z.string().optional(),
    context_length: z.number(),
  });
  const example = z
    .object({ models: z.array(Model) })
    .parse(parse(await readText('deploy/examples/sluice.yaml')));
  const ofPool = example.models.filter(({ pool }) => pool === 'default');
  expect(service('worker').environment['POOL']).toBe('default');
  expect(service('simulator').environment['SIMULATOR_MODELS']).toBe(
    ofPool
      .map(({ runtime_model: name, context_length: context }) => `${name}:context=${context}`)
      .join(','),
  );
});
