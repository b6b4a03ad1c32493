import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { LogFile } from './log-file.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';
import { StartFailure } from './start-failure.ts';

export interface ProgramOptions {
  /** The name in messages. */
  readonly name: string;
  readonly program: string;
  readonly parameters: readonly string[];
  /** The whole environment of the program. By default, that of this process. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** The working directory. By default, that of this process. */
  readonly folder?: string | undefined;
  /** The file for its output. Without a file, this process reads the output and keeps the end of it. */
  readonly log?: LogFile;
  /** Gives a Node program an IPC channel, which closes when this process ends, even if it is killed. */
  readonly tether?: boolean;
  readonly stopSignal?: NodeJS.Signals;
  /** How long it may take to end after the stop signal. Then it is killed. */
  readonly graceMs?: number | undefined;
  /** A command that kills the program if signals to its process do not reach it, as with a container. */
  readonly killCommand?: readonly string[] | undefined;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Returns whether a program is ready. A rejected promise also means that it is not ready yet. */
export type ReadyProbe = (program: ChildProgram) => Promise<boolean>;

const GRACE_MS = 10_000;
const READY_TIMEOUT_MS = 30_000;
const PROBE_EVERY_MS = 25;
const KILL_COMMAND_TIMEOUT_MS = 10_000;

/**
 * A program that this process started. It has its own process group, so Ctrl-C in the terminal reaches only this
 * process, which then stops its programs in the right order. When this process exits, every program that still runs is
 * asked to end.
 */
export class ChildProgram implements AsyncDisposable {
  readonly name: string;
  readonly process: ProcessIdentity;
  readonly ended: Promise<Ending>;
  /** The first line of its standard output. Rejects if there is none, or if the output goes to a log. */
  readonly firstLine: Promise<string>;
  /** The end of its output since its start. */
  readonly output: () => string;
  readonly #options: ProgramOptions;
  /** Settles when it has ended and `output` is complete. */
  readonly #closed: Promise<void>;
  #ending: Ending | undefined;
  #stopping: Promise<Ending> | undefined;
  #killCommand: Promise<unknown> | undefined;

  /** Rejects with the system's error if the program cannot be started. */
  static async launch(options: ProgramOptions): Promise<ChildProgram> {
    if (endingAll) throw new Error('all programs are being ended');
    const { program, parameters, environment, folder, log, tether } = options;
    const output = log?.descriptor ?? 'pipe';
    const logStart = log?.size() ?? 0;
    const child = spawn(program, parameters, {
      env: environment,
      cwd: folder,
      detached: true,
      stdio: ['ignore', output, output, ...(tether === true ? (['ipc'] as const) : [])],
    });
    const { pid } = child;
    if (pid === undefined) {
      const { promise, reject } = Promise.withResolvers<never>();
      child.once('error', reject);
      return promise;
    }
    return new ChildProgram(options, child, { pid, logStart });
  }

  private constructor(
    options: ProgramOptions,
    child: ChildProcess,
    { pid, logStart }: { pid: number; logStart: number },
  ) {
    this.name = options.name;
    this.#options = options;
    // If the process has already ended, its start time cannot be read.
    this.process = identify(pid) ?? { pid, started: 'unknown' };
    const { promise: ended, resolve } = Promise.withResolvers<Ending>();
    this.ended = ended;
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    this.#closed = closed;
    child.once('close', () => close());
    // After the start, `error` only means that a signal could not be sent.
    child.on('error', () => undefined);
    child.once('exit', (code, signal) => {
      this.#ending = { code, signal };
      // Kills the processes that the program has started.
      signalGroup(pid, 'SIGKILL');
      forget(this);
      resolve(this.#ending);
    });
    remember(this);
    const { log } = options;
    this.output = log === undefined ? keepOutput(child) : () => log.textSince(logStart);
    this.firstLine = firstLineOf(child, () => this.#failure('ended without any output'));
    this.firstLine.catch(() => undefined);
  }

  get pid(): number {
    return this.process.pid;
  }

  get running(): boolean {
    return this.#ending === undefined;
  }

  /** Undefined while it runs. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Sends a signal to the program and to the processes that it has started. */
  signal(signal: NodeJS.Signals): void {
    if (!this.running) return;
    signalGroup(this.pid, signal);
    const [command, ...parameters] = this.#options.killCommand ?? [];
    if (signal !== 'SIGKILL' || command === undefined) return;
    // Best effort: it fails if the container has ended, or if the container engine does not answer.
    this.#killCommand ??= promisify(execFile)(command, parameters, {
      timeout: KILL_COMMAND_TIMEOUT_MS,
    }).catch(() => undefined);
  }

  /** Without `timeoutMs`, it waits for as long as the program runs. */
  async waitUntilReady(
    isReady: ReadyProbe,
    timeoutMs?: number,
  ): Promise<'ready' | 'ended' | 'timed out'> {
    const { promise: over, resolve } = Promise.withResolvers<'ended' | 'timed out'>();
    void this.ended.then(() => resolve('ended'));
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => resolve('timed out'), timeoutMs);
    try {
      for (;;) {
        const probed = isReady(this).catch(() => false);
        const outcome = await Promise.race([over, probed]);
        if (outcome === true) return this.running ? 'ready' : 'ended';
        if (outcome !== false) return outcome;
        const failure = await Promise.race([over, delay(PROBE_EVERY_MS)]);
        if (failure !== undefined) return failure;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Like `waitUntilReady`. If the program does not become ready, stops it and fails with the end of its output. */
  async becomeReady(isReady: ReadyProbe, timeoutMs = READY_TIMEOUT_MS): Promise<void> {
    const outcome = await this.waitUntilReady(isReady, timeoutMs);
    if (outcome === 'ready') return;
    const ending = await this.stop();
    await this.#closed;
    throw this.#failure(
      outcome === 'ended'
        ? `does not start (${describeEnding(ending)})`
        : 'did not become ready in time',
    );
  }

  /** Sends the stop signal, and kills the program if it does not end in time. */
  async stop(signal = this.#options.stopSignal ?? 'SIGTERM'): Promise<Ending> {
    return (this.#stopping ??= this.#end(signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #end(signal: NodeJS.Signals): Promise<Ending> {
    this.signal(signal);
    const timer = setTimeout(() => this.signal('SIGKILL'), this.#options.graceMs ?? GRACE_MS);
    const ending = await this.ended;
    clearTimeout(timer);
    await this.#killCommand;
    return ending;
  }

  #failure(reason: string): StartFailure {
    return new StartFailure(this.name, reason, this.output());
  }
}

export type StartOptions = ProgramOptions & {
  readonly isReady: ReadyProbe;
  readonly readyTimeoutMs?: number | undefined;
};

/** Starts a program and returns when it is ready. Fails with a StartFailure. */
export async function startProgram(options: StartOptions): Promise<ChildProgram> {
  const program = await ChildProgram.launch(options).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartFailure(options.name, `could not be started: ${reason}`);
  });
  await program.becomeReady(options.isReady, options.readyTimeoutMs);
  return program;
}

/**
 * Stops all programs, also those that are still starting, and prevents further starts. Call it when a run is
 * interrupted.
 */
export async function endAllPrograms(): Promise<void> {
  endingAll = true;
  await Promise.allSettled([...living].map((program) => program.stop()));
}

export function describeEnding({ code, signal }: Ending): string {
  return signal ?? `exit code ${String(code)}`;
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process group has already ended.
  }
}

const living = new Set<ChildProgram>();
let endingAll = false;

function remember(program: ChildProgram): void {
  if (living.size === 0) process.on('exit', askLivingToEnd);
  living.add(program);
}

function forget(program: ChildProgram): void {
  living.delete(program);
  if (living.size === 0) process.off('exit', askLivingToEnd);
}

function askLivingToEnd(): void {
  for (const program of living) {
    // Not SIGKILL: a program may have to stop something itself, such as a container.
    program.signal('SIGTERM');
    // A paused process handles SIGTERM only after it continues.
    program.signal('SIGCONT');
  }
}

const KEPT_CHARACTERS = 8_000;

function keepOutput({ stdout, stderr }: ChildProcess): () => string {
  let kept = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-KEPT_CHARACTERS);
    });
  }
  return () => kept;
}

async function firstLineOf({ stdout }: ChildProcess, failure: () => Error): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (stdout === null) throw new Error('its output goes to a log');
  let text = '';
  const read = (more: string) => {
    text += more;
    const end = text.indexOf('\n');
    if (end === -1) return;
    stdout.off('data', read);
    resolve(text.slice(0, end));
  };
  stdout.on('data', read);
  stdout.once('close', () => reject(failure()));
  return promise;
}
