import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, isExecutable, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';

const READY_WITHIN_MS = 10_000;
const FREEZE_LIMIT_MS = 5_000;
/** If the server does not start, the error quotes this much of the end of its log. */
const QUOTED_CHARACTERS = 1_000;

/** A NATS server that a test stops, freezes and restarts, always on the same port and with the same data. */
export class NatsProcess implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  #parameters: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, folder: string, parameters: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#parameters = parameters;
  }

  static async start(options?: { readonly jetStream: boolean }): Promise<NatsProcess> {
    const nats = await NatsProcess.#prepare([]);
    await nats.start(options);
    return nats;
  }

  /** Starts a server with parameters that define its users. */
  static async guarded(...parameters: readonly string[]): Promise<NatsProcess> {
    const nats = await NatsProcess.#prepare(parameters);
    await nats.start();
    return nats;
  }

  static async #prepare(parameters: readonly string[]): Promise<NatsProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-nats-'));
    return new NatsProcess(await findFreePort(), folder, parameters);
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start({ jetStream } = { jetStream: true }): Promise<void> {
    const listen = ['-a', '127.0.0.1', '-p', String(this.port)];
    const store = jetStream ? ['-js', '-sd', join(this.#folder, 'data')] : [];
    const child = spawn(natsProgram(), [...listen, ...store, ...this.#parameters], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-QUOTED_CHARACTERS);
    });
    await waitUntil(async () => child.exitCode !== null || this.#answers(), {
      what: 'the NATS server to answer',
      timeoutMs: READY_WITHIN_MS,
    });
    if (child.exitCode !== null) throw new Error(`the NATS server did not start: ${output}`);
  }

  /** The INFO line that the server sends to every new connection. */
  async greeting(): Promise<string> {
    const socket = createConnection({ port: this.port, host: '127.0.0.1' });
    try {
      const parts: unknown[] = await once(socket, 'data');
      return parts.join('');
    } finally {
      socket.destroy();
    }
  }

  /** Restarts the server as an operator does to change its settings. */
  async restart(...parameters: readonly string[]): Promise<void> {
    await this.kill();
    this.#parameters = parameters;
    await this.start();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /**
   * Freezes the server: its sockets stay open but send nothing. Returns when every thread is stopped, since on a busy
   * machine a thread may run on for a while. Blocks the event loop meanwhile.
   */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
    const pid = this.#child?.pid ?? 0;
    const giveUpAt = performance.now() + FREEZE_LIMIT_MS;
    while (!isStopped(pid)) {
      if (performance.now() > giveUpAt) throw new Error('the NATS server cannot be frozen');
    }
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /**
   * Deletes the data, as if the disk had been lost. Call this and the next three methods only while the server is not
   * running.
   */
  async forgetData(): Promise<void> {
    await rm(join(this.#folder, 'data'), { recursive: true, force: true });
  }

  async saveData(): Promise<void> {
    await cp(join(this.#folder, 'data'), join(this.#folder, 'saved'), { recursive: true });
  }

  /** Moves the streams of one account to another, as an operator may do. */
  async renameAccount(from: string, to: string): Promise<void> {
    const accounts = join(this.#folder, 'data/jetstream');
    await rename(join(accounts, from), join(accounts, to));
  }

  /** Restores the copy, as if later writes had never reached the disk. */
  async restoreData(): Promise<void> {
    await this.forgetData();
    await cp(join(this.#folder, 'saved'), join(this.#folder, 'data'), { recursive: true });
  }

  /** Changes a byte within a stored text, as a failing disk does. Call it only while the server is not running. */
  async damage(text: string): Promise<void> {
    const files = await readdir(join(this.#folder, 'data'), { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.blk'))) {
      const path = join(this.#folder, 'data', file);
      const bytes = await readFile(path);
      const at = bytes.indexOf(text);
      if (at < 0) continue;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path, bytes);
      return;
    }
    throw new Error('no stored message has this text');
  }

  /** Stops the server after it has written everything to its disk. */
  async terminate(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  async #answers(): Promise<boolean> {
    try {
      return (await this.greeting()) !== '';
    } catch {
      return false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Whether every thread is stopped. If the system does not report thread states, the answer is true. */
function isStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) =>
    /^State:\s+T/m.test(readFileSync(`${threads}/${thread}/status`, 'utf8')),
  );
}

/** The program found by the bootstrap, one unpacked by an earlier bootstrap, or one on the PATH. */
function natsProgram(): string {
  const unpacked = join(import.meta.dirname, '../../../.tools/servers/bin/nats-server');
  const known = [process.env['SLUICE_NATS_SERVER'] ?? '', unpacked].find(isExecutable);
  const found = known ?? findOnPath(['nats-server'], process.env);
  if (found === undefined) {
    throw new Error('no nats-server: run deploy/bootstrap.sh --servers or set SLUICE_NATS_SERVER');
  }
  return found;
}
