import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ACCESS_KINDS,
  ChildProgram,
  openLogFile,
  withoutAccess,
  type LogFile,
} from '@sluice/servers';
import { waitUntil } from '../runner/wait-until.ts';
import { freezeProcess } from './freeze-process.ts';

export interface ServiceProcessOptions {
  readonly name: string;
  /** The path of the main module, relative to the root of the repository. */
  readonly entry: string;
  /** The repository of the version to start. By default, this one. */
  readonly repository?: string | undefined;
  /**
   * The settings as environment variables. They include the ports, which stay the same when the process is started
   * again.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** A URL that answers with status 200 when the service is ready. */
  readonly readyUrl: string;
}

const root = join(import.meta.dirname, '../../../..');
const READY_TIMEOUT_MS = 90_000;
const END_TIMEOUT_MS = 90_000;
const SHOWN_BYTES = 4_000;

/** One process of a service, without a supervisor. A test may end, freeze and restart it. */
export class ServiceProcess implements AsyncDisposable {
  readonly name: string;
  readonly #options: ServiceProcessOptions;
  readonly #folder: string;
  /** The log of all runs of the process. */
  readonly #log: LogFile;
  #program: ChildProgram | undefined;

  constructor(options: ServiceProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#folder = mkdtempSync(join(tmpdir(), `sluice-test-${options.name}-`));
    this.#log = openLogFile(join(this.#folder, 'log'));
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
    return this.#current().pid;
  }

  get running(): boolean {
    return this.#program?.running === true;
  }

  /** The exit code. Null while the process runs, and if a signal ended it. */
  get exitCode(): number | null {
    return this.#program?.ending?.code ?? null;
  }

  /** Starts the process, also again after it has ended. Returns when it is ready. */
  async start(): Promise<void> {
    if (this.running) throw new Error(`${this.name} runs already`);
    const { entry, repository = root, settings, readyUrl } = this.#options;
    this.#program = await ChildProgram.launch({
      name: this.name,
      program: process.execPath,
      parameters: [join(repository, entry)],
      environment: {
        ...withoutAccess(process.env, ACCESS_KINDS),
        NODE_COMPILE_CACHE: join(root, '.tools/compile-cache'),
        ...settings,
      },
      log: this.#log,
      tether: true,
    });
    await this.#program.becomeReady(async () => (await fetch(readyUrl)).ok, READY_TIMEOUT_MS);
  }

  signal(signal: NodeJS.Signals): void {
    this.#current().signal(signal);
  }

  /** Sends a signal to the process, and waits until it has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.signal(signal);
    await waitUntil(() => !this.running, {
      what: `${this.name} to end after ${signal}`,
      timeoutMs: END_TIMEOUT_MS,
    });
  }

  /** Freezes the process. Its connections stay open, and it does not answer. */
  async freeze(): Promise<void> {
    await freezeProcess(this.pid);
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  /** The end of the log. */
  lastLines(): string {
    return this.#log.textSince(0).slice(-SHOWN_BYTES);
  }

  #current(): ChildProgram {
    if (this.#program?.running !== true) throw new Error(`${this.name} is not running`);
    return this.#program;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // SIGKILL, because the process may be frozen, and its work is no longer needed.
    if (this.running) await this.end('SIGKILL');
    this.#log[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
