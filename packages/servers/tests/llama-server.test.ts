import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BootstrapFolder } from './bootstrap-folder.ts';

const version = "echo 'version: 0.7.0 (build 11669, commit 0000000)' >&2";
const showServer = ['sh', '-c', 'echo "$SLUICE_LLAMA_SERVER|${SLUICE_LLAMA_SERVER_MISSING-none}"'];

test('a llama.cpp server on PATH is used, and named', async () => {
  await using folder = await BootstrapFolder.create();
  const program = await folder.addCommand('llama-server', version);

  expect(await folder.run(['--llama-server', ...showServer])).toEqual({
    exitCode: 0,
    output: `${program}|none\n`,
    errors: `bootstrap: llama.cpp 0.7.0: ${program} (on PATH)\n`,
  });
});

test('the given program comes first', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('llama-server', version);
  const given = await folder.addCommand('my-llama', version);

  expect(
    await folder.run(['--llama-server', ...showServer], { SLUICE_LLAMA_SERVER: given }),
  ).toMatchObject({ exitCode: 0, output: `${given}|none\n` });
});

test('a given program that is not a llama.cpp server is an error, and no other is used', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('llama-server', version);
  const given = await folder.addCommand('my-llama', 'echo 1.0');

  expect(
    await folder.run(['--llama-server', ...showServer], { SLUICE_LLAMA_SERVER: given }),
  ).toEqual({
    exitCode: 2,
    output: '',
    errors: `bootstrap: SLUICE_LLAMA_SERVER is ${given}, which does not run or is no llama.cpp server (version unknown)\n`,
  });
});

const reason =
  'no llama-server on PATH or in SLUICE_LLAMA_SERVER, and no package llama.cpp-tools to unpack';

test('without a server the command still runs, and gets the reason', async () => {
  await using folder = await BootstrapFolder.create();

  expect(await folder.run(['--llama-server', ...showServer])).toEqual({
    exitCode: 0,
    output: `|${reason}\n`,
    errors: '',
  });
});

test('in CI a missing server is a failure of one line', async () => {
  await using folder = await BootstrapFolder.create();

  expect(await folder.run(['--llama-server', ...showServer], { CI: 'true' })).toEqual({
    exitCode: 2,
    output: '',
    errors: `bootstrap: ${reason}\n`,
  });
});

async function addUnpacked(folder: BootstrapFolder, path: string, content = ''): Promise<void> {
  const place = join(folder.root, '.tools/servers/llama', path);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, content);
  await chmod(place, 0o755);
}

/** Runs shell commands that can use the functions for unpacking llama-server. */
async function amongScripts(folder: BootstrapFolder, lines: string) {
  const scripts = ['progress', 'toolchain', 'debian-packages', 'llama-server'];
  await folder.write(
    'deploy/bootstrap.sh',
    `set -eu
    tools='${folder.root}/.tools' servers='${folder.root}/.tools/servers'
    ${scripts.map((name) => `. '${folder.root}/deploy/bootstrap/${name}.sh'`).join('\n')}
    ${lines}`,
  );
  return folder.run([]);
}

test.each(['x86_64-linux-gnu/ld-linux-x86-64.so.2', 'aarch64-linux-gnu/ld-linux-aarch64.so.1'])(
  'the server runs with the loader that came with it, in the folder of its backends: %s',
  async (loader) => {
    await using folder = await BootstrapFolder.create();
    const libraries = `usr/lib/${dirname(loader)}`;
    await addUnpacked(folder, 'usr/bin/llama-server');
    await addUnpacked(folder, `usr/lib/${loader}`, '#!/bin/sh\nprintf "%s\\n" "$$" "$0" "$@"\n');
    await addUnpacked(folder, `${libraries}/libc.so.6`);
    await addUnpacked(folder, `${libraries}/llama/libserver.so`);
    await addUnpacked(folder, `${libraries}/ggml/backends0/libggml-cpu-one.so`);
    const launcher = `'${folder.root}/.tools/servers/bin/llama-server'`;
    const { exitCode, output } = await amongScripts(
      folder,
      `write_loader_launcher; sh -c 'echo $$; exec "$@"' sh ${launcher} --port '1 2'`,
    );

    expect(exitCode).toBe(0);
    const home = `${folder.root}/.tools/servers/bin/../llama`;
    const lines = output.trimEnd().split('\n');
    // The launcher becomes the server (same pid), so signals to the launcher reach the server.
    expect(lines[1]).toBe(lines[0]);
    expect(lines.slice(2)).toEqual([
      `${home}/${libraries}/ggml/backends0/${loader.split('/')[1]}`,
      '--library-path',
      ['', '/ggml/backends0', '/llama'].map((path) => `${home}/${libraries}${path}`).join(':'),
      `${home}/usr/bin/llama-server`,
      '--port',
      '1 2',
    ]);
  },
);

/** A fake apt in a workspace for Debian 12. Only the named suite has the package. */
async function withSuites(folder: BootstrapFolder, suiteThatHasIt: string): Promise<string> {
  const workspace = join(folder.root, 'workspace');
  await folder.write('workspace/mirrors', 'http://mirror.example/debian bookworm\n');
  await folder.write('workspace/sources.list', '');
  await folder.write('workspace/packages/.keep', '');
  await folder.addCommand('apt-get', 'exit 0');
  await folder.addCommand('dpkg-deb', 'exit 0');
  await folder.addCommand(
    'apt-cache',
    `if grep -q ' ${suiteThatHasIt} ' '${workspace}/sources.list'
    then echo '  Candidate: 1:0.7.0-2'; else echo '  Candidate: (none)'; fi`,
  );
  return `apt_workspace='${workspace}' release_family=debian release_codename=bookworm
    release_name='Debian 12' release_keyring=/keyring.gpg`;
}

test.each([
  ['testing', 0, ['testing']],
  ['sid', 0, ['testing', 'sid']],
  ['nowhere', 1, ['testing', 'sid']],
])('the first newer suite that has it is taken: it is in %s', async (suite, exitCode, added) => {
  await using folder = await BootstrapFolder.create();
  const release = await withSuites(folder, suite);

  expect(await amongScripts(folder, `${release}\nadd_suite_with_llama`)).toMatchObject({
    exitCode,
  });
  const sources = await readFile(join(folder.root, 'workspace/sources.list'), 'utf8');
  expect([...sources.matchAll(/debian (\w+) main/g)].map(([, name]) => name)).toEqual(added);
});
