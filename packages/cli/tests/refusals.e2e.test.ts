import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck } from '@sluice/devkit';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { sluice, sluiceProcess, WITHOUT } from './run-sluice.ts';

useLeakCheck();

let state = '';

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'sluice-refused-'));
  // Runs after all other cleanup: the processes of a test write there until they have ended.
  onTestFinished(() => rm(state, { recursive: true, force: true }));
});

const oneLine = (text: string) => text.trimEnd().split('\n').length === 1;

test('a port in use is reported in one line', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const { code, stdout, stderr } = await sluiceProcess(['up', '--port', port, '--state', state]);
  expect(stderr).toBe(
    `sluice up: port ${port} is in use; choose another with --port, or any free one with --port 0\n`,
  );
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test.each([
  ['HOST', '0.0.0.0'],
  ['ADMIN_HOST', '::'],
  ['HEALTH_HOST', '192.0.2.1'],
])('%s is refused, because a local stack would ignore it', async (name, value) => {
  const { code, stderr } = await sluice(['up', '--port', '0', '--state', state], {
    [name]: value,
  });
  expect(stderr).toBe(
    `sluice up: ${name} cannot be used: a local stack listens only on 127.0.0.1; ` +
      'unset it, or see deploy/README.md for how to serve other machines\n',
  );
  expect(code).toBe(2);
});

test('an invalid option is reported in one line', async () => {
  const { code, stderr } = await sluice(['up', '--gateways', 'many', '--state', state]);
  expect(stderr).toBe("sluice up: --gateways must be a whole number from 1 to 64, not 'many'\n");
  expect(code).toBe(2);
});

test('an invalid key of a runtime is reported in one line, without the key', async () => {
  const { code, stderr } = await sluiceProcess(
    ['up', '--port', '0', '--state', state, '--runtime', 'http://127.0.0.1:9'],
    { RUNTIME_API_KEY: 'hush\nhush' },
  );
  expect(stderr).toBe(
    'sluice up: a setting is wrong: RUNTIME_API_KEY: must be printable ASCII characters, without a line end\n',
  );
  expect(code).toBe(2);
});

test.each([
  ['gateway:8080', 'must be an http or https address'],
  ['http://me:hush@127.0.0.1:9', 'must have no user, password, query or fragment'],
])('a chat with %s is refused in one line, which contains no secret', async (url, rule) => {
  const { code, stderr } = await sluiceProcess(['chat', '--url', url, '--address', '127.0.0.1:9']);
  expect(stderr).toBe(`sluice chat: --url ${rule}\n`);
  expect(code).toBe(2);
});

test('an unknown kind is reported in one line', async () => {
  const { code, stderr } = await sluice(['audit', '--kind', 'dance', '--state', state]);
  expect(stderr).toMatch(/^sluice audit: there is no kind 'dance'; kinds: plans, /);
  expect(code).toBe(2);
});

test.each([
  [['get', 'plans'], '--address'],
  [['fleet', '--once'], '--nats'],
  [['limits', 'acme'], '--address and --quota'],
])('%j without a stack names the options of a deployment elsewhere', async (command, options) => {
  const { code, stderr } = await sluice([...command, '--state', state]);
  expect(stderr).toBe(
    `sluice ${command[0]}: no stack is running from ${state}; start one with 'sluice up', ` +
      `or name its folder with --state, or a deployment elsewhere with ${options}\n`,
  );
  expect(code).toBe(1);
});

test('an empty address of NATS is reported in one line, and does not mean the local NATS', async () => {
  const { code, stderr } = await sluice(['fleet', '--once', '--nats', '']);
  expect(stderr).toBe('sluice fleet: --nats must be an address, such as nats://host:4222\n');
  expect(code).toBe(2);
});

test.each(['catalog', 'catalog:0', 'https://catalog:7003', ''])(
  'an address %j without host and port is reported in one line',
  async (place) => {
    const token = { SLUICE_ADMIN_TOKEN: 'a-token-of-16-characters' };
    const get = await sluice(['get', 'plans', '--address', place], token);
    expect(get).toMatchObject({
      code: 2,
      stderr: 'sluice get: --address must be host:port, without a scheme\n',
    });
    const limits = ['limits', 'acme', '--address', '127.0.0.1:9', '--quota', place];
    expect(await sluice(limits, token)).toMatchObject({
      code: 2,
      stderr: 'sluice limits: --quota must be host:port, without a scheme\n',
    });
  },
);

test('an unknown command is reported in one line', async () => {
  const { code, stderr } = await sluiceProcess(['dance']);
  expect(stderr).toBe("sluice: there is no command 'dance'; 'sluice --help' lists them\n");
  expect(code).toBe(2);
});

test.each(['sécret-0123456789', 'secret 0123456789', 'secret\n0123456789'])(
  'a token that no catalog can have is refused and not repeated',
  async (token) => {
    const { code, stderr } = await sluice(['get', 'plans', '--address', '127.0.0.1:9'], {
      SLUICE_ADMIN_TOKEN: token,
    });
    expect(stderr).toMatch(/^sluice get: the admin token must be printable ASCII characters/);
    expect(oneLine(stderr)).toBe(true);
    expect(stderr).not.toContain('0123456789');
    expect(code).toBe(2);
  },
);

test('a damaged state folder is reported in one line, and nothing is started', async () => {
  await writeFile(join(state, 'sluice.json'), 'not json');
  const { code, stdout, stderr } = await sluiceProcess(['up', '--port', '0', '--state', state]);
  expect(stderr).toMatch(/^sluice up: the state folder .* is damaged: .* --fresh/);
  expect(oneLine(stderr)).toBe(true);
  expect(stdout).toBe('');
  expect(code).toBe(2);
  expect(await readdir(state)).toEqual(['sluice.json']);
});

test.each(['admin-token', 'catalog.json', 'seeded-models.json'])(
  'a state folder in which %s is a folder is reported as damaged in one line',
  async (part) => {
    await writeFile(join(state, 'sluice.json'), '{"version":1}\n');
    await mkdir(join(state, part, 'filled'), { recursive: true });
    const place = ['--port', '0', '--state', state];
    const { code, stderr } = await sluiceProcess(['up', ...place, ...WITHOUT]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^sluice up: the state folder .* is damaged: its /),
    ]);
    expect(lines[0]).toContain(`its ${part} `);
    expect(code).toBe(2);
  },
);

test.each(['REDIS_URL', 'NATS_URL'])(
  '%s of a server that does not answer is reported in one line',
  async (variable) => {
    const address = `${variable === 'REDIS_URL' ? 'redis' : 'nats'}://:secret@127.0.0.1:9`;
    const { code, stderr } = await sluiceProcess(['up', '--port', '0', '--state', state], {
      [variable]: address,
    });
    expect(stderr).toMatch(new RegExp(`^sluice up: no .* answers at the address in ${variable}; `));
    expect(oneLine(stderr)).toBe(true);
    expect(stderr).not.toContain('secret');
    expect(code).toBe(2);
  },
);

test('a runtime that does not answer is named', async () => {
  const runtime = 'http://127.0.0.1:9';
  const { code, stderr } = await sluice([
    'up',
    '--state',
    state,
    '--port=0',
    `--runtime=${runtime}`,
  ]);
  expect(stderr).toMatch(/^sluice up: the runtime at http:\/\/127\.0\.0\.1:9 cannot be used: /m);
  expect(code).toBe(1);
});

test('every command has a help text', async () => {
  const { code, stdout } = await sluice(['--help']);
  expect(code).toBe(0);
  const names = [...stdout.matchAll(/^ {2}(\w+) {2}/gm)].map(([, name]) => name ?? '');
  expect(names).toContain('up');
  for (const name of names) {
    const help = await sluice([name, '--help']);
    expect(help.stdout).toMatch(new RegExp(`^Usage: sluice ${name}\\b`));
    expect(help.code).toBe(0);
  }
});
