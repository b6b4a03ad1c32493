import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BootstrapFolder } from './bootstrap-folder.ts';

/** Runs shell commands that can use the functions for unpacking packages. The variables that these need are set. */
async function inDebianPackages(folder: BootstrapFolder, lines: string) {
  await folder.write(
    'deploy/bootstrap.sh',
    `set -eu
    tools='${folder.root}/.tools' servers='${folder.root}/.tools/servers' nats_minimum=2.10
    . '${folder.root}/deploy/bootstrap/progress.sh'
    . '${folder.root}/deploy/bootstrap/toolchain.sh'
    . '${folder.root}/deploy/bootstrap/debian-packages.sh'
    ${lines}`,
  );
  return folder.run([]);
}

async function writeProgram(path: string, script: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

test('of the packages that apt would install, new and newer ones are unpacked, except the C library', async () => {
  await using folder = await BootstrapFolder.create();
  const plan = [
    'Reading package lists...',
    'Inst libc6 [2.36-9] (2.36-9+deb12u9 Debian:12.9/stable [amd64])',
    'Inst libjemalloc2 (5.3.0-1 Debian:12.9/stable [amd64])',
    'Inst libssl3 [3.0.14-1~deb12u1] (3.0.15-1~deb12u1 Debian:12.9/stable [amd64]) []',
    'Inst redis-server (5:7.0.15-1~deb12u2 Debian:12.9/stable, Debian-Security:12 [amd64])',
    'Conf libjemalloc2 (5.3.0-1 Debian:12.9/stable [amd64])',
  ];
  await folder.write('plan', plan.join('\n'));

  expect(
    await inDebianPackages(folder, `select_new_packages <'${folder.root}/plan'`),
  ).toMatchObject({
    exitCode: 0,
    output: 'libjemalloc2=5.3.0-1\nlibssl3=3.0.15-1~deb12u1\nredis-server=5:7.0.15-1~deb12u2\n',
  });
});

test('for a program with its own loader, the C library is unpacked too', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.write(
    'plan',
    'Inst libc6 (2.43-7 Debian:testing [amd64])\nInst llama.cpp-tools (1:0.7.0-2 Debian:testing [amd64])\n',
  );

  expect(
    await inDebianPackages(folder, `select_planned_packages <'${folder.root}/plan'`),
  ).toMatchObject({ output: 'libc6=2.43-7\nllama.cpp-tools=1:0.7.0-2\n' });
});

test('a launcher starts the program with its own libraries, in a path with spaces', async () => {
  await using folder = await BootstrapFolder.create();
  const unpacked = join(folder.root, '.tools/servers/redis');
  await writeProgram(
    join(unpacked, 'usr/bin/redis-server'),
    'echo "$$ $LD_LIBRARY_PATH"; printf "%s\\n" "$@"',
  );
  for (const library of ['usr/lib/here/libone.so.1', 'usr/lib/there/libtwo.so']) {
    await mkdir(join(unpacked, dirname(library)), { recursive: true });
    await writeFile(join(unpacked, library), '');
  }
  const launcher = `'${folder.root}/.tools/servers/bin/redis-server'`;
  const { exitCode, output } = await inDebianPackages(
    folder,
    `write_launcher redis; export LD_LIBRARY_PATH=/before; sh -c 'echo $$; exec "$@"' sh ${launcher} 'a b' '*'`,
  );

  expect(exitCode).toBe(0);
  const [pid, libraries = '', ...words] = output.trimEnd().split('\n');
  const home = `${folder.root}/.tools/servers/bin/../redis`;
  // The launcher becomes the server (same pid), so signals to the launcher reach the server.
  expect(libraries).toBe(`${pid} ${home}/usr/lib/here:${home}/usr/lib/there:/before`);
  expect(words).toEqual(['a b', '*']);
});

test('a launcher without libraries does not change the search path for libraries', async () => {
  await using folder = await BootstrapFolder.create();
  await writeProgram(join(folder.root, '.tools/servers/nats/usr/sbin/nats-server'), 'exit 0');

  expect(await inDebianPackages(folder, 'write_launcher nats')).toMatchObject({ exitCode: 0 });
  const launcher = await readFile(join(folder.root, '.tools/servers/bin/nats-server'), 'utf8');
  expect(launcher).not.toContain('LD_LIBRARY_PATH');
  expect(launcher).toContain('exec "$home/usr/sbin/nats-server" "$@"\n');
});

test('packages without the program are an error', async () => {
  await using folder = await BootstrapFolder.create();
  await writeProgram(join(folder.root, '.tools/servers/nats/usr/bin/nats'), 'exit 0');

  expect(await inDebianPackages(folder, 'write_launcher nats')).toMatchObject({ exitCode: 1 });
});

/** Creates an opened workspace, and fakes of apt-get and dpkg-deb that record their calls. */
async function openWorkspace(folder: BootstrapFolder): Promise<string> {
  const workspace = join(folder.root, 'workspace');
  await folder.write('workspace/mirrors', 'http://mirror.example/debian bookworm\n');
  await folder.write('workspace/sources.list', '');
  await folder.write('workspace/packages/.keep', '');
  await folder.addCommand(
    'apt-get',
    `echo "$APT_CONFIG: $*" >>'${folder.root}/apt-calls'
    case $1 in
      download) [ ! -e '${folder.root}/no-packages' ] && : >"$2.deb" ;;
    esac`,
  );
  await folder.addCommand('dpkg-deb', 'mkdir -p "$3/usr/share/keyrings"; echo "$2" >"$3/from"');
  return workspace;
}

const debian12 = (workspace: string) =>
  `apt_workspace='${workspace}' release_family=debian release_codename=bookworm
  release_name='Debian 12' release_keyring=/usr/share/keyrings/debian-archive-keyring.gpg`;

test.each([
  ['that its own keys vouch for', false],
  ['of the system when there is no newer', true],
])("Debian's newer suite is trusted by the keyring %s", async (_which, isMissing) => {
  await using folder = await BootstrapFolder.create();
  const workspace = await openWorkspace(folder);
  if (isMissing) await folder.write('no-packages', '');
  const { exitCode } = await inDebianPackages(
    folder,
    `${debian12(workspace)}\nadd_debian_suite trixie`,
  );

  expect(exitCode).toBe(0);
  const keyring = 'usr/share/keyrings/debian-archive-keyring.gpg';
  const trusted = isMissing ? `/${keyring}` : `${workspace}/keyring/${keyring}`;
  expect(await readFile(join(workspace, 'sources.list'), 'utf8')).toBe(
    `deb [signed-by=${trusted}] http://mirror.example/debian trixie main\n`,
  );
  // Every call uses the private configuration, so that the package lists of the system are not changed.
  expect((await readFile(join(folder.root, 'apt-calls'), 'utf8')).trimEnd().split('\n')).toEqual([
    `${workspace}/apt.conf: download debian-archive-keyring`,
    `${workspace}/apt.conf: update`,
  ]);
});

test('Ubuntu is given no suite of Debian', async () => {
  await using folder = await BootstrapFolder.create();
  const workspace = await openWorkspace(folder);

  expect(
    await inDebianPackages(
      folder,
      `${debian12(workspace)} release_family=ubuntu\nadd_debian_suite trixie`,
    ),
  ).toMatchObject({ exitCode: 1 });
  expect(await readFile(join(workspace, 'sources.list'), 'utf8')).toBe('');
});

test("the sources of the system's own release are kept, and other sources are left out", async () => {
  await using folder = await BootstrapFolder.create();
  const addresses = [
    "'http://mirror.example/debian/dists/bookworm/InRelease' mirror_bookworm_InRelease 0",
    "'http://mirror.example/debian/dists/bookworm/main/binary-amd64/Packages.xz' packages 0",
    "'http://mirror.example/debian/dists/bookworm-updates/InRelease' mirror_updates 0",
    "'http://mirror.example/debian/dists/bookworm-backports/InRelease' mirror_backports 0",
    "'http://secure.example/debian-security/dists/bookworm-security/InRelease' security 0",
    "'https://other.example/node/dists/nodistro/InRelease' other 0",
  ];
  await folder.write('addresses', addresses.join('\n'));

  expect(
    await inDebianPackages(folder, `select_release_sources bookworm <'${folder.root}/addresses'`),
  ).toMatchObject({
    output: [
      'http://mirror.example/debian bookworm',
      'http://mirror.example/debian bookworm-updates',
      'http://secure.example/debian-security bookworm-security\n',
    ].join('\n'),
  });
});
