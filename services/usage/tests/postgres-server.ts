import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath, waitUntil } from '@sluice/devkit';
import { ChildProgram, findFreePort } from '@sluice/servers';
import { Client } from 'pg';

const run = promisify(execFile);
/** The password of a test server. It has characters that an address must encode. */
export const PASSWORD = 'open%@/postgres';
const READY_WITHIN_MS = 30_000;
/** The id of an unprivileged user, `nobody` on Debian. PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;
/** Debian keeps the programs of the server in a folder that is not on the PATH. */
const DEBIAN_FOLDERS = ['18', '17', '16', '15', '14'].map(
  (version) => `/usr/lib/postgresql/${version}/bin`,
);

export function findProgram(name: string): string | undefined {
  const path = [process.env['PATH'] ?? '', ...DEBIAN_FOLDERS].join(':');
  return findOnPath([name], { PATH: path });
}

/** Why tests that need PostgreSQL cannot run; undefined if they can. */
export function postgresMissing(): string | undefined {
  const isThere = ['initdb', 'postgres'].every((name) => findProgram(name) !== undefined);
  return isThere ? undefined : "no PostgreSQL server here; Debian's package is postgresql";
}

/** The command line of a program, as an unprivileged user if this process is root. */
function unprivileged(program: string, parameters: readonly string[]): string[] {
  const command = [findProgram(program) ?? program, ...parameters];
  if (process.getuid?.() !== 0) return command;
  const ids = [`--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups'];
  return ['setpriv', ...ids, ...command];
}

/** A PostgreSQL server that a test stops, kills and restarts, always on the same port and with the same data. */
export class PostgresServer implements AsyncDisposable {
  /** With the password. */
  readonly url: string;
  /** Without the password. */
  readonly address: string;
  readonly #port: number;
  readonly #folder: string;
  #running: ChildProgram | undefined;

  private constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
    this.address = `postgres://sluice@127.0.0.1:${port}/postgres`;
    this.url = this.address.replace('@', `:${encodeURIComponent(PASSWORD)}@`);
  }

  static async start(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
    const passwordFile = join(folder, 'password');
    await writeFile(passwordFile, PASSWORD);
    if (process.getuid?.() === 0) {
      for (const path of [folder, passwordFile]) await chown(path, UNPRIVILEGED, UNPRIVILEGED);
    }
    const [program = '', ...parameters] = unprivileged('initdb', [
      `--pgdata=${join(folder, 'data')}`,
      '--username=sluice',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--no-sync',
    ]);
    await run(program, parameters);
    const server = new PostgresServer(await findFreePort(), folder);
    await server.restart();
    return server;
  }

  /** Starts the server. If it is running, it is killed first, as a crash would end it. */
  async restart(): Promise<void> {
    await this.kill();
    await waitUntil(() => this.#startOnce(), {
      what: 'PostgreSQL to answer',
      timeoutMs: READY_WITHIN_MS,
    });
  }

  /** The process id. Undefined while the server is not running. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A fast shutdown: https://www.postgresql.org/docs/current/server-shutdown.html
    await this.#running?.stop('SIGINT');
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Returns whether the server answers. After a kill, it cannot start until all its old processes have ended. */
  async #startOnce(): Promise<boolean> {
    const [program = '', ...parameters] = unprivileged('postgres', [
      '-D',
      join(this.#folder, 'data'),
      '-p',
      String(this.#port),
      '-h',
      '127.0.0.1',
      '-k',
      '',
    ]);
    const started = await ChildProgram.launch({ name: 'PostgreSQL', program, parameters });
    const outcome = await started.waitUntilReady(() => this.#answers(), READY_WITHIN_MS);
    if (outcome === 'ready') this.#running = started;
    else await started.stop('SIGKILL');
    return outcome === 'ready';
  }

  async #answers(): Promise<boolean> {
    const client = new Client({ connectionString: this.url });
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } finally {
      await client.end();
    }
  }
}
