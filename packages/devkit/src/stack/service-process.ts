import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCESS_KINDS, withoutAccess } from '@sluice/backing';
import { freezeProcess } from './freeze-process.ts';
import { waitUntil } from './wait-until.ts';

export interface ServiceProcessOptions {
  readonly name: string;
  /** Its main module, from the root of the repository. */
  readonly entry: string;
  /** By the names of its environment variables; with its ports, which it keeps when it is started again. */
  readonly settings: Readonly<Record<string, string>>;
  /** Answers 200 when it is ready. */
  readonly readyUrl: string;
}

const root = join(import.meta.dirname, '../../..');
const READY_TIMEOUT_MS = 90_000;
const END_TIMEOUT_MS = 90_000;
const SHOWN_BYTES = 4_000;

/** One process of ours that nobody watches over, to be ended, frozen and started again as a test likes. */
export class ServiceProcess implements AsyncDisposable {
  readonly name: string;
  readonly #options: ServiceProcessOptions;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(options: ServiceProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#folder = mkdtempSync(join(tmpdir(), `sluice-test-${options.name}-`));
  }

  static async start(options: ServiceProcessOptions): Promise<ServiceProcess> {
    const service = new ServiceProcess(options);
    try {
      await service.start();
      return service;
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.running) throw new Error(`${this.name} is not running`);
    return pid;
  }

  get running(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Null when it was ended by a signal, or runs. */
  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  /** The first time, or again after it has ended; returns when it is ready. */
  async start(): Promise<void> {
    if (this.running) throw new Error(`${this.name} runs already`);
    const { entry, settings, readyUrl } = this.#options;
    const log = openSync(this.#logFile, 'a');
    this.#child = spawn(process.execPath, [join(root, entry)], {
      env: {
        ...withoutAccess(process.env, ACCESS_KINDS),
        NODE_COMPILE_CACHE: join(root, '.tools/compile-cache'),
        ...settings,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    await waitUntil(
      async () => {
        if (!this.running) return 'ended';
        return (await fetch(readyUrl)).ok ? 'ready' : undefined;
      },
      { what: `${this.name} to be ready`, timeoutMs: READY_TIMEOUT_MS },
    ).then((state) => {
      if (state === 'ended') throw new Error(`${this.name} does not start:\n${this.lastLines()}`);
    });
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Sends a signal that ends it, and waits until it has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.signal(signal);
    await waitUntil(() => !this.running, {
      what: `${this.name} to end after ${signal}`,
      timeoutMs: END_TIMEOUT_MS,
    });
  }

  /** Its connections stay open and nothing answers. */
  async freeze(): Promise<void> {
    await freezeProcess(this.pid);
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  /** The end of its log. */
  lastLines(): string {
    return readFileSync(this.#logFile, 'utf8').slice(-SHOWN_BYTES);
  }

  get #logFile(): string {
    return join(this.#folder, 'log');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // At once: it may be frozen, and nobody waits for its work any more.
    if (this.running) await this.end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
