import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { ACCESS_KINDS, withoutAccess } from '@sluice/backing';
import { rememberProgram, requireStarts } from './started-programs.ts';

export interface ProgramOptions {
  readonly name: string;
  readonly program: string;
  readonly parameters: readonly string[];
  /** Added to ours, without what opens servers of somebody else: a bench has its own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
  /** Whether it can be used now; asked again and again from its start on. */
  readonly isReady?: (program: ChildProgram) => Promise<boolean>;
  readonly readyTimeoutMs?: number;
  readonly stopTimeoutMs?: number;
}

/** A program of ours: disposing of it ends it and waits until it is gone. */
export interface ChildProgram extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** The first line on its standard output; rejects when it ends without one. */
  readonly firstLine: Promise<string>;
  readonly exited: Promise<void>;
  /** The end of what it has said so far. */
  readonly output: () => string;
  readonly running: boolean;
}

export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure';
}

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;
const LOOK_EVERY_MS = 25;
const KEPT_OUTPUT = 4_000;

export async function startProgram(options: ProgramOptions): Promise<ChildProgram> {
  const { name, readyTimeoutMs = READY_TIMEOUT_MS, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
  requireStarts();
  const child = spawn(options.program, options.parameters, {
    cwd: options.folder,
    env: { ...withoutAccess(process.env, ACCESS_KINDS), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = keepOutput(child);
  const exited = endOf(child);
  const running = () => child.exitCode === null && child.signalCode === null;
  const killWithUs = () => void child.kill('SIGTERM');
  process.once('exit', killWithUs);
  void exited.then(() => process.off('exit', killWithUs));
  const program: ChildProgram = {
    name,
    pid: child.pid ?? 0,
    firstLine: firstLineOf(child, exited, () => failure(name, 'ended without a word', output())),
    exited,
    output,
    get running() {
      return running();
    },
    [Symbol.asyncDispose]: async () => {
      if (!running() || child.pid === undefined) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await exited;
      clearTimeout(timer);
    },
  };
  program.firstLine.catch(() => undefined);
  rememberProgram(program, exited);
  const giveUpAt = performance.now() + readyTimeoutMs;
  for (;;) {
    if (!running() || child.pid === undefined) throw failure(name, 'does not start', output());
    if (options.isReady === undefined || (await options.isReady(program))) return program;
    if (performance.now() > giveUpAt) {
      await program[Symbol.asyncDispose]();
      throw failure(name, 'did not become ready in time', output());
    }
    await delay(LOOK_EVERY_MS);
  }
}

/** Whether an address answers with any of the statuses below 500. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}

function failure(name: string, reason: string, output: string): ProgramFailure {
  return new ProgramFailure(`${name} ${reason}${output === '' ? '' : `:\n${output}`}`);
}

function keepOutput(child: ChildProcess): () => string {
  let kept = '';
  const keep = (text: string) => {
    kept = (kept + text).slice(-KEPT_OUTPUT);
  };
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  return () => kept.trim();
}

async function endOf(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.once('error', () => {
    if (child.pid === undefined) resolve();
  });
  return promise;
}

async function firstLineOf(
  child: ChildProcess,
  exited: Promise<void>,
  ended: () => Error,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  child.stdout?.on('data', (more: string) => {
    if (text.includes('\n')) return;
    text += more;
    const end = text.indexOf('\n');
    if (end !== -1) resolve(text.slice(0, end));
  });
  void exited.then(() => reject(ended()));
  return promise;
}
