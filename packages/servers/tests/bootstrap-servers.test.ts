import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BootstrapFolder } from './bootstrap-folder.ts';

const redis7 = "echo 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64'";
const nats210 = "echo 'nats-server: v2.10.27'";
const showServers = ['sh', '-c', 'echo "$SLUICE_REDIS_SERVER|$SLUICE_NATS_SERVER"'];

test('servers on PATH are used, and named', async () => {
  await using folder = await BootstrapFolder.create();
  const redis = await folder.addCommand('redis-server', redis7);
  const nats = await folder.addCommand('nats-server', nats210);
  const result = await folder.run(['--servers', ...showServers]);

  expect(result).toMatchObject({ exitCode: 0, output: `${redis}|${nats}\n` });
  expect(result.errors).toBe(
    `bootstrap: Redis 7.0.15: ${redis} (on PATH)\nbootstrap: NATS 2.10.27: ${nats} (on PATH)\n`,
  );
  expect(await folder.run(['--servers', '--quiet', ...showServers])).toMatchObject({ errors: '' });
});

test('Valkey can be used in place of Redis', async () => {
  await using folder = await BootstrapFolder.create();
  const valkey = await folder.addCommand(
    'valkey-server',
    "echo 'Valkey server v=8.1.1 sha=00000000:1 malloc=jemalloc-5.3.0 bits=64'",
  );
  const nats = await folder.addCommand('nats-server', nats210);

  expect(await folder.run(['--servers', ...showServers])).toMatchObject({
    output: `${valkey}|${nats}\n`,
  });
});

test('given addresses are used unchanged, and their passwords are not shown', async () => {
  await using folder = await BootstrapFolder.create();
  const { output, errors } = await folder.run(
    ['--servers', 'sh', '-c', 'echo "$REDIS_URL $NATS_URL ${SLUICE_REDIS_SERVER-none}"'],
    { REDIS_URL: 'redis://:secret@store', NATS_URL: 'nats://bus' },
  );

  expect(output).toBe('redis://:secret@store nats://bus none\n');
  expect(errors).not.toContain('secret');
});

test('a server that an outer bootstrap chose is kept', async () => {
  await using folder = await BootstrapFolder.create();
  const chosen = await folder.addCommand('my-redis', redis7);
  await folder.addCommand('redis-server', redis7);

  expect(
    await folder.run(['--servers', ...showServers], {
      SLUICE_REDIS_SERVER: chosen,
      SLUICE_NATS_SERVER: 'docker:nats:2.10-alpine',
    }),
  ).toMatchObject({ output: `${chosen}|docker:nats:2.10-alpine\n` });
});

test('a chosen server that cannot be used is an error, and no other server is used instead', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('redis-server', redis7);
  await folder.addCommand('nats-server', nats210);
  const old = await folder.addCommand('my-nats', "echo 'nats-server: v2.9.1'");
  const { exitCode, errors } = await folder.run(['--servers', ...showServers], {
    SLUICE_NATS_SERVER: old,
  });

  expect(exitCode).toBe(2);
  expect(errors).toContain(
    `SLUICE_NATS_SERVER is ${old}, which does not run or is older than 2.10 (version 2.9.1)\n`,
  );
});

test('tests get programs, but no server addresses from the environment', async () => {
  await using folder = await BootstrapFolder.create();
  const redis = await folder.addCommand('redis-server', redis7);
  await folder.addCommand('nats-server', nats210);
  const show = 'echo "$SLUICE_REDIS_SERVER ${REDIS_URL-none} ${NATS_URL-none}"';

  expect(
    await folder.run(['--own-servers', '--quiet', 'sh', '-c', show], {
      REDIS_URL: 'redis://store',
      NATS_URL: 'nats://bus',
    }),
  ).toEqual({ exitCode: 0, output: `${redis} none none\n`, errors: '' });
});

test.each([
  [['status'], 'none none'],
  [['up', '--help'], 'none none'],
  [[], 'none none'],
  [['up', '--port', '0'], 'found found'],
])('the bootstrap provides servers for sluice %j: %s', async (words, servers) => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('redis-server', redis7);
  await folder.addCommand('nats-server', nats210);
  await folder.write(
    'packages/cli/src/main.ts',
    `const has = (name) => (process.env[name] === undefined ? 'none' : 'found');
    console.log(has('SLUICE_REDIS_SERVER'), has('SLUICE_NATS_SERVER'), ...process.argv.slice(2));`,
  );
  const { result } = folder.start(words, {}, 'deploy/sluice.sh');

  expect(await result).toEqual({
    exitCode: 0,
    output: `${[servers, ...words].join(' ')}\n`,
    errors: '',
  });
});

test('servers that are too old or broken are skipped, and without others the error says what to install', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('redis-server', "echo 'Redis server v=6.0.16 sha=00000000:0'");
  await folder.addCommand('nats-server', 'exit 1');
  const { exitCode, output, errors } = await folder.run(['--servers', 'node', '--version']);

  expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
  expect(errors).toContain('redis-server is too old or does not run (version 6.0.16)');
  expect(errors).toContain('nats-server is too old or does not run (version unknown)');
  expect(errors).toMatch(/Debian.*Fedora.*Alpine.*macOS.*Docker.*REDIS_URL/s);
});

test('Docker images are the last choice, and are pulled only once', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand(
    'docker',
    `echo "$*" >>'${join(folder.root, 'docker-calls')}'
    case "$1 $2" in
      'image inspect') [ -e '${join(folder.root, 'pulled')}' ] ;;
      pull*) : >'${join(folder.root, 'pulled')}' ;;
    esac`,
  );
  const expected = { exitCode: 0, output: 'docker:redis:7-alpine|docker:nats:2.10-alpine\n' };

  expect(await folder.run(['--servers', ...showServers])).toMatchObject(expected);
  await rm(join(folder.root, 'docker-calls'));
  expect(await folder.run(['--servers', ...showServers])).toMatchObject(expected);
  expect(await readFile(join(folder.root, 'docker-calls'), 'utf8')).not.toContain('pull');
});
