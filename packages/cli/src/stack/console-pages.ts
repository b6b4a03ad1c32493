import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, glob, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { openLogFile } from '@sluice/servers';
import { errorCode } from '../error-code.ts';

const root = join(import.meta.dirname, '../../../..');
const WEB = 'services/console/web';
const VITE = join(root, WEB, 'node_modules/vite/bin/vite.js');

/** Everything that the built pages depend on. The versions of the packages are in the lockfile. */
const SOURCES = [
  `${WEB}/{index.html,package.json,tsconfig.json,vite.config.ts}`,
  `${WEB}/{src,public}/**/*`,
  'services/console/src/api/*.ts',
  // Shown by the page of the playground.
  'docs/errors.md',
  'pnpm-lock.yaml',
];

export interface PagesOptions {
  /** Where builds are kept. Its subfolders are named by the content of the sources. */
  readonly cache: string;
  /** The folder of the log. */
  readonly logs: string;
  readonly say: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The built pages of the console. All stacks of this repository share the builds. */
export class ConsolePages {
  /** The folder to serve. It exists once the pages are built. */
  readonly folder: string;
  readonly #options: PagesOptions;
  #builder: ChildProcess | undefined;
  #stopped = false;

  static async find(options: PagesOptions): Promise<ConsolePages> {
    return new ConsolePages(join(options.cache, await hashSources()), options);
  }

  private constructor(folder: string, options: PagesOptions) {
    this.folder = folder;
    this.#options = options;
  }

  /** Builds the pages unless an earlier start has built them. A failure is only reported: requests do not need them. */
  async build(): Promise<void> {
    if (await isThere(join(this.folder, 'index.html'))) return;
    const { cache, logs, say } = this.#options;
    say('  building the pages of the console, which takes a while at the first start …');
    const unfinished = `${this.folder}.${process.pid}`;
    try {
      await mkdir(cache, { recursive: true });
      await this.#run(unfinished, join(logs, 'console-pages.log'));
      // Another start may have built the same pages meanwhile.
      await rename(unfinished, this.folder).catch(async (error: unknown) => {
        if (!(await isThere(join(this.folder, 'index.html')))) throw error;
      });
      say('  the pages of the console are built');
    } catch (error) {
      if (this.#stopped) return;
      say(
        `  the pages of the console cannot be built (${errorCode(error)}); see ${logs}/console-pages.log`,
      );
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#builder?.kill('SIGKILL');
  }

  async #run(target: string, logFile: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    using log = openLogFile(logFile);
    const parameters = [VITE, 'build', '--outDir', target, '--emptyOutDir'];
    const builder = spawn(process.execPath, parameters, {
      cwd: join(root, WEB),
      stdio: ['ignore', log.descriptor, log.descriptor],
      env: { ...this.#options.environment, NODE_ENV: 'production' },
    });
    this.#builder = builder;
    // The build gets less processor time than the services, because requests come first.
    if (builder.pid !== undefined) setPriority(builder.pid, constants.priority.PRIORITY_LOW);
    builder.once('error', reject);
    builder.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the build ended with code ${code}`));
    });
    await promise;
  }
}

async function hashSources(): Promise<string> {
  const paths: string[] = [];
  for await (const entry of glob(SOURCES, { cwd: root, withFileTypes: true })) {
    if (entry.isFile()) paths.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) {
    hash.update(`${path.slice(root.length)}\n`).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 16);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
