import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, isExecutable, waitUntil } from '@sluice/devkit';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser of this machine: `CHROMIUM`, or the first on the PATH. */
export function findChromium(environment: NodeJS.ProcessEnv): string | undefined {
  const named = environment['CHROMIUM'];
  if (named !== undefined && isExecutable(named)) return named;
  return findOnPath(NAMES, environment);
}

/** A headless browser that opens one page. The page itself reports the result. */
export class Chromium implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #profile: string;
  #stderr = '';

  private constructor(child: ChildProcess, profile: string) {
    this.#process = child;
    this.#profile = profile;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4_000);
    });
  }

  /** The last lines of its stderr, for the message of a failed test. */
  get stderr(): string {
    return this.#stderr;
  }

  get running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  static async open(program: string, url: string): Promise<Chromium> {
    const profile = await mkdtemp(join(tmpdir(), 'sluice-chromium-'));
    const child = spawn(
      program,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        url,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    return new Chromium(child, profile);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGTERM');
    await waitUntil(() => !this.running, { what: 'the browser to end' });
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
