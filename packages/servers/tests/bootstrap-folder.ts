import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const repository = join(import.meta.dirname, '../../..');

// All commands of the system that the script may use. There is no package manager and no Docker among them.
const systemCommands =
  'awk cat chmod cksum cp date dirname env find grep gzip head ln mkdir mktemp mv paste readlink rm rmdir sed sh sha512sum sleep sort tail tar uname';

export interface BootstrapResult {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface StartedBootstrap {
  readonly child: ChildProcess;
  /** Its output on standard error so far. */
  readonly said: () => string;
  readonly result: Promise<BootstrapResult>;
}

/** A checkout that contains only the bootstrap, with a PATH that the test fills. */
export class BootstrapFolder implements AsyncDisposable {
  readonly root: string;
  readonly commands: string;

  private constructor(base: string) {
    this.root = join(base, 'a checkout');
    this.commands = join(base, 'commands');
  }

  static async create(): Promise<BootstrapFolder> {
    const folder = new BootstrapFolder(await mkdtemp(join(tmpdir(), 'sluice-bootstrap-')));
    await mkdir(folder.commands);
    for (const script of ['deploy/bootstrap.sh', 'deploy/sluice.sh']) {
      await cp(join(repository, script), join(folder.root, script));
    }
    await cp(join(repository, 'deploy/bootstrap'), join(folder.root, 'deploy/bootstrap'), {
      recursive: true,
    });
    await folder.write('pnpm-lock.yaml', 'lockfileVersion: 1\n');
    await folder.write('pnpm-workspace.yaml', 'packages: []\n');
    for (const name of systemCommands.split(' ')) await folder.linkSystemCommand(name);
    await symlink(process.execPath, join(folder.commands, 'node'));
    // While a file "hold" exists, the install does not finish, so that other runs can start meanwhile.
    await folder.addCommand(
      'pnpm',
      `case $1 in
        --version) echo 12.99.0 ;;
        install)
          echo "$*" >>installs
          if [ -e broken ]; then echo 'the registry said no'; exit 1; fi
          while [ -e hold ]; do sleep 0.01; done
          mkdir -p node_modules ;;
      esac`,
    );
    return folder;
  }

  async addCommand(name: string, script: string): Promise<string> {
    const path = join(this.commands, name);
    await rm(path, { force: true });
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  async write(path: string, content: string): Promise<void> {
    await mkdir(dirname(join(this.root, path)), { recursive: true });
    await writeFile(join(this.root, path), content);
  }

  async countInstalls(): Promise<number> {
    const installs = await readFile(join(this.root, 'installs'), 'utf8').catch(() => '');
    return installs.split('\n').filter((line) => line.includes('--frozen-lockfile')).length;
  }

  async run(
    parameters: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<BootstrapResult> {
    return this.start(parameters, environment).result;
  }

  start(
    parameters: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    script = 'deploy/bootstrap.sh',
  ): StartedBootstrap {
    const child = spawn('/bin/sh', [join(this.root, script), ...parameters], {
      cwd: tmpdir(),
      env: { PATH: this.commands, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { promise: ended, resolve } = Promise.withResolvers<number | null>();
    child.once('close', resolve);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      errors += more;
    });
    const result = Promise.all([text(child.stdout), ended]).then(([output, exitCode]) => ({
      exitCode,
      output,
      errors,
    }));
    return { child, said: () => errors, result };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(dirname(this.root), { recursive: true, force: true });
  }

  private async linkSystemCommand(name: string): Promise<void> {
    for (const folder of ['/usr/bin', '/bin']) {
      const path = join(folder, name);
      const exists = await readFile(path).then(
        () => true,
        () => false,
      );
      if (!exists) continue;
      await symlink(path, join(this.commands, name));
      return;
    }
    throw new Error(`the system has no ${name}`);
  }
}
