import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerPlan } from './server-plan.ts';

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it ended because it was asked to stop. */
  readonly expected: boolean;
}

/** A server that was started here, and may have ended since. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Settles once the process has ended, for whatever reason. */
  readonly exited: Promise<ServerExit>;
  /** Ends it, by force when it does not obey, and waits until it is gone. */
  stop(): Promise<void>;
}

export interface ProcessOptions {
  readonly logFile: string;
  /** How long it may take to answer; loading much data takes time. */
  readonly readyTimeoutMs?: number;
  /** How long it may take to stop before it is killed. */
  readonly stopTimeoutMs?: number;
}

/** The server did not come up; the end of its log is in the message. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
  readonly portTaken: boolean;

  constructor(message: string, { portTaken, log }: { portTaken: boolean; log: string }) {
    super(log === '' ? message : `${message}\n${log}`);
    this.portTaken = portTaken;
  }
}

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const KILL_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 10;
const PORT_TAKEN = /address already in use|port is already allocated/i;

/** Starts what was planned, and returns when it answers. */
export async function startServer(
  plan: ServerPlan,
  { logFile, readyTimeoutMs = READY_TIMEOUT_MS, stopTimeoutMs = STOP_TIMEOUT_MS }: ProcessOptions,
): Promise<RunningServer> {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  const logStart = statSync(logFile).size;
  const child = spawnInto(log, plan);
  closeSync(log);

  let stopping = false;
  const exited = watchExit(child, () => stopping);
  endWithThisProcess({ child, plan, exited });

  async function stop(): Promise<void> {
    stopping = true;
    if (child.pid === undefined) return;
    child.kill('SIGTERM');
    const stopped = await Promise.race([exited, delay(stopTimeoutMs, undefined, { ref: false })]);
    if (stopped === undefined) await killByForce(child, plan);
    await exited;
  }

  const failed = await waitUntilReady(child, plan, readyTimeoutMs);
  const { pid } = child;
  if (failed !== undefined || pid === undefined) {
    await stop();
    const tail = endOfLog(logFile, logStart);
    throw new ServerStartError(`${plan.program} ${failed ?? 'could not be started'}`, {
      portTaken: PORT_TAKEN.test(tail),
      log: tail,
    });
  }
  return { url: plan.url, port: plan.port, pid, exited, stop, [Symbol.asyncDispose]: stop };
}

interface Living {
  child: ChildProcess;
  plan: ServerPlan;
  exited: Promise<ServerExit>;
}
const living = new Set<Living>();

/** Without a supervisor nobody would stop it. A process that is killed itself cannot see to this. */
function endWithThisProcess(server: Living): void {
  if (living.size === 0) process.on('exit', endLiving);
  living.add(server);
  void server.exited.then(() => {
    living.delete(server);
    if (living.size === 0) process.removeListener('exit', endLiving);
  });
}

function endLiving(): void {
  // Docker's client passes a request on; killed, it would leave the container.
  for (const { child, plan } of living) {
    child.kill(plan.killCommand === undefined ? 'SIGKILL' : 'SIGTERM');
  }
}

// A group of its own keeps it out of the terminal's Ctrl-C, so that whoever
// started it decides when it stops.
function spawnInto(log: number, plan: ServerPlan): ChildProcess {
  return spawn(plan.program, plan.parameters, { detached: true, stdio: ['ignore', log, log] });
}

function watchExit(child: ChildProcess, isExpected: () => boolean): Promise<ServerExit> {
  const { promise, resolve } = Promise.withResolvers<ServerExit>();
  child.once('exit', (code, signal) => resolve({ code, signal, expected: isExpected() }));
  child.once('error', () => {
    // Errors of later signals do not mean that it has ended.
    if (child.pid === undefined) resolve({ code: null, signal: null, expected: isExpected() });
  });
  return promise;
}

/** Undefined when it answers, else the end of a sentence that begins with its name. */
async function waitUntilReady(
  child: ChildProcess,
  plan: ServerPlan,
  timeoutMs: number,
): Promise<string | undefined> {
  const { promise: failed, resolve: fail } = Promise.withResolvers<string>();
  child.once('error', (error) => fail(`could not be started: ${error.message}`));
  child.once('exit', (code, signal) => fail(`ended at its start with ${signal ?? `code ${code}`}`));
  const { pid } = child;
  if (pid === undefined) return failed;
  const timer = setTimeout(() => fail(`did not answer within ${timeoutMs} ms`), timeoutMs);
  try {
    for (;;) {
      const verdict = await Promise.race([failed, plan.answers(pid)]);
      if (verdict === true) return undefined;
      if (typeof verdict === 'string') return verdict;
      await Promise.race([failed, delay(LOOK_EVERY_MS)]);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function killByForce(child: ChildProcess, { killCommand }: ServerPlan): Promise<void> {
  child.kill('SIGKILL');
  const [program, ...parameters] = killCommand ?? [];
  if (program === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  // Best effort: the engine may be what does not answer.
  execFile(program, parameters, { timeout: KILL_TIMEOUT_MS }, () => resolve());
  await promise;
}

function endOfLog(logFile: string, from: number): string {
  return readFileSync(logFile)
    .subarray(from)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .slice(-10)
    .join('\n');
}
