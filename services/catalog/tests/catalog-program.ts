import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '@sluice/devkit';
import { connectCatalogAdmin, type CatalogAdminClient } from '@sluice/rpc';
import { ADMIN_TOKEN } from './catalog-under-test.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** A catalog as operators run it: a process of its own, which can be killed. */
export class CatalogProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: string[];
  readonly address: string;
  readonly adminAddress: string;
  readonly admin: CatalogAdminClient;

  private constructor(child: ChildProcess, lines: string[], listening: ListeningLine) {
    this.#child = child;
    this.#lines = lines;
    this.address = listening.address;
    this.adminAddress = listening.adminAddress;
    this.admin = connectCatalogAdmin({ address: listening.adminAddress, token: ADMIN_TOKEN });
  }

  /** `main` is the program of another version of the catalog. If it is not given, today's version is started. */
  static async start(
    environment: Readonly<Record<string, string>>,
    main = MAIN,
  ): Promise<CatalogProgram> {
    const child = spawn(process.execPath, [main], {
      env: {
        ...bareEnvironment(),
        PORT: '0',
        ADMIN_PORT: '0',
        ADMIN_TOKENS: `operator:${ADMIN_TOKEN}`,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    const listening = Promise.withResolvers<ListeningLine>();
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (line.includes('"msg":"listening"')) {
          listening.resolve(JSON.parse(line) as ListeningLine);
        }
      });
    }
    child.once('exit', () => listening.reject(new Error(`it ended:\n${lines.join('\n')}`)));
    return new CatalogProgram(child, lines, await listening.promise);
  }

  /** Everything that it has written to its output. */
  get output(): string {
    return this.#lines.join('\n');
  }

  /** Stops it as an operator would, with its whole output. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Kills it, as a crash would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.admin[Symbol.asyncDispose]();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    // Waits for 'close' and not for 'exit', because there may still be output to read after 'exit'.
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }
}

interface ListeningLine {
  readonly address: string;
  readonly adminAddress: string;
}
