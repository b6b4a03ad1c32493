import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServiceProcess, cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { ROOT, readText } from './repository.ts';

const run = promisify(execFile);
const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.string()).default({}),
      command: z.array(z.string()).default([]),
    }),
  ),
});
const Connections = z.object({ connections: z.array(z.object({ authorized_user: z.string() })) });

const programs = {
  nats: process.env['SLUICE_NATS_SERVER'] ?? '',
  redis: process.env['SLUICE_REDIS_SERVER'] ?? '',
};
const missing = Object.values(programs).every((program) => program.startsWith('/'))
  ? undefined
  : 'SLUICE_NATS_SERVER or SLUICE_REDIS_SERVER is no program';

/** Runs the processes of compose.yaml on this machine, each with the environment of its container. */
describe.skipIf(cannotRun('the users of compose', missing))('in the environment of compose', () => {
  useLeakCheck();
  const running = new AsyncDisposableStack();
  /** The addresses on this machine that replace the addresses in compose.yaml. */
  const places = new Map<string, string>();
  let variables: Record<string, string>;
  let services: z.infer<typeof Compose>['services'];
  let monitoring = '';

  const here = (text: string) => {
    let filled = text.replaceAll(
      /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
      (_, name: string, fallback = '') => variables[name] ?? String(fallback),
    );
    for (const [name, place] of places) filled = filled.replaceAll(name, place);
    return filled.replaceAll('$$', '$');
  };
  const environmentOf = (service: string) =>
    Object.fromEntries(
      Object.entries(services[service]?.environment ?? {}).map(([name, text]) => [
        name,
        here(text),
      ]),
    );
  const portOf = (name: string) => places.get(name)?.split(':')[1] ?? '';

  const startServer = (program: string, parameters: readonly string[], service: string) => {
    const server = spawn(program, parameters, {
      env: { PATH: process.env['PATH'], ...environmentOf(service) },
      stdio: 'ignore',
    });
    running.defer(async () => {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    });
  };

  const startService = async (service: string, entry: string, settings: Record<string, string>) => {
    const healthPort = String(await findFreePort());
    const ready = service === 'simulator' ? `${settings['PORT']}/health` : `${healthPort}/readyz`;
    const started = await ServiceProcess.start({
      name: service,
      entry: `${entry}/src/main.ts`,
      settings: { ...environmentOf(service), ...settings, HEALTH_PORT: healthPort },
      readyUrl: `http://127.0.0.1:${ready}`,
    });
    running.use(started);
  };

  const sluice = async (...parameters: readonly string[]) => {
    const { stdout } = await run(process.execPath, ['packages/cli/src/main.ts', ...parameters], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...environmentOf('sluice') },
    });
    return stdout;
  };

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-compose-'));
    running.defer(() => rm(folder, { recursive: true }));
    const file = join(folder, '.env');
    await run('sh', [join(ROOT, 'deploy/passwords.sh'), file]);
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    variables = Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]));
    ({ services } = Compose.parse(parse(await readText('deploy/compose.yaml'), { merge: true })));
    const named = ['nats:4222', 'redis:6379', 'quota:50051', 'catalog:7002', 'simulator:8000'];
    for (const name of [...named, 'catalog:7003', 'usage:7004', 'gateway:8080']) {
      places.set(name, `127.0.0.1:${await findFreePort()}`);
    }
    monitoring = `127.0.0.1:${await findFreePort()}`;
    const natsSettings = join(ROOT, 'deploy/nats/with-accounts.conf');
    const place = ['--addr', '127.0.0.1', '--port', portOf('nats:4222')];
    const store = [
      '--store_dir',
      join(folder, 'nats'),
      '--http_port',
      monitoring.split(':')[1] ?? '',
    ];
    startServer(programs.nats, ['--config', natsSettings, ...place, ...store], 'nats');
    const [shell = '', option = '', script = ''] = services['redis']?.command ?? [];
    const adapted = here(script)
      .replace('exec redis-server', `exec ${programs.redis}`)
      .replace('/etc/sluice-server.conf', join(ROOT, 'deploy/redis/redis.conf'))
      .replace('--bind 0.0.0.0', `--bind 127.0.0.1 --port ${portOf('redis:6379')}`)
      .replace('--dir /data', `--dir ${folder}`);
    startServer(shell, [option, adapted], 'redis');
    await waitUntil(async () => (await fetch(`http://${monitoring}/healthz`)).ok, {
      what: 'NATS to answer',
    });
    await startService('simulator', 'packages/simulator', { PORT: portOf('simulator:8000') });
    await startService('quota', 'services/quota', { PORT: portOf('quota:50051') });
    await startService('catalog', 'services/catalog', {
      PORT: portOf('catalog:7002'),
      ADMIN_PORT: portOf('catalog:7003'),
    });
    await startService('usage', 'services/usage', {
      PORT: portOf('usage:7004'),
      DATABASE_FOLDER: join(folder, 'usage'),
    });
    await startService('worker', 'services/worker', {});
    await startService('gateway', 'services/gateway', { PORT: portOf('gateway:8080') });
  });

  afterAll(() => running.disposeAsync());

  test('each service works with its own user, and the command with that of operators', async () => {
    const admin = ['--address', places.get('catalog:7003') ?? ''];
    await sluice('apply', '--file', 'deploy/examples/sluice.yaml', ...admin);
    const made = await sluice('keys', 'create', '--project', 'harbour-app', '--json', ...admin);
    const { key } = z.object({ key: z.string() }).parse(JSON.parse(made));
    const reply = await fetch(`http://${places.get('gateway:8080')}/compat/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'quill/small-8b',
        messages: [{ role: 'user', content: 'Hello!' }],
      }),
    });
    expect({ status: reply.status, body: await reply.text() }).toMatchObject({ status: 200 });
    const usage = ['--json', '--address', places.get('usage:7004') ?? ''];
    await waitUntil(async () => (await sluice('usage', ...usage)).includes('"harbour"'), {
      what: 'the request in the tables of usage',
      timeoutMs: 30_000,
    });
    expect(await sluice('fleet', '--once')).toContain('default');
    const page = await fetch(`http://${monitoring}/connz?auth=true`);
    const { connections } = Connections.parse(await page.json());
    const users = new Set(connections.map(({ authorized_user: user }) => user));
    expect([...users].toSorted()).toEqual(['catalog', 'gateway', 'usage', 'worker-default']);
  });

  test('Redis refuses commands without a password, and commands that the limits do not need', async () => {
    const password = variables['REDIS_PASSWORD'] ?? '';
    expect(await said(portOf('redis:6379'), 'PING\r\n')).toMatch(/^-NOAUTH/);
    const commands = `AUTH quota ${password}\r\nFLUSHALL\r\nCONFIG GET dir\r\nPING\r\n`;
    const [login, flush, config, ping] = (await said(portOf('redis:6379'), commands, 4)).split(
      '\r\n',
    );
    expect([login, ping]).toEqual(['+OK', '+PONG']);
    expect([flush, config].join()).toMatch(/^-NOPERM.*,-NOPERM/);
  });
});

/** The first lines of the answer of a server. */
async function said(port: string, words: string, lines = 1): Promise<string> {
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  socket.write(words);
  let heard = '';
  for await (const data of socket) {
    heard += String(data);
    if (heard.split('\r\n').length > lines) break;
  }
  socket.destroy();
  return heard;
}
