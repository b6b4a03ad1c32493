import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { RUN_MARK, processesOfRun, waitUntil } from '@sluice/devkit';
import { onTestFinished } from 'vitest';
import { commands } from '../src/commands/index.ts';
import { runCommandLine } from '../src/run-command-line.ts';

const root = join(import.meta.dirname, '../../..');
const main = join(root, 'packages/cli/src/main.ts');
/** The last line that `sluice up` prints when it is ready. */
const READY = 'Ctrl-C stops everything.';

export interface SluiceRun {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Sends a signal to the whole process group, as a terminal does. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal to the process of the command only. */
  signalAlone(signal: NodeJS.Signals): void;
  /** Resolves with the exit code when the command has ended. */
  readonly ended: Promise<number | null>;
  ready(): Promise<void>;
  /** All descendants of the command, without the command itself. */
  descendants(): string[];
}

/** Calls the function when the processes of a run are no longer needed. */
export type Afterwards = (end: () => Promise<void>) => void;

/**
 * Starts the command in a process, as a shell would. Remaining processes are killed after the test; a run for several
 * tests starts in a hook, which passes its own `afterwards`.
 */
export function runSluice(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  afterwards: Afterwards = onTestFinished,
): SluiceRun {
  return follow([process.execPath, main, ...parameters], environment, afterwards);
}

/** The database and the pages of these services take seconds of CPU time to build. */
export const WITHOUT = ['--without-usage', '--without-console'] as const;

/** Runs `npm start` with options. */
export function runNpmStart(parameters: readonly string[]): SluiceRun {
  return follow(['npm', 'start', '--', ...parameters], {}, onTestFinished);
}

function follow(
  [program = '', ...parameters]: readonly string[],
  environment: Readonly<Record<string, string>>,
  afterwards: Afterwards,
): SluiceRun {
  const mark = stateOf(parameters) ?? randomUUID();
  const child = spawn(program, parameters, {
    cwd: root,
    env: { ...process.env, ...environment, [RUN_MARK]: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid ?? 0;
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  const descendants = () => processesOfRun(mark).filter((line) => !line.startsWith(`${pid} `));
  afterwards(async () => {
    child.kill('SIGTERM');
    await ended;
    for (const line of processesOfRun(mark)) process.kill(Number(line.split(' ', 1)[0]), 'SIGKILL');
  });
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal) => process.kill(-pid, signal),
    signalAlone: (signal) => process.kill(pid, signal),
    ended,
    descendants,
    ready: async () => {
      await waitUntil(
        () => {
          if (child.exitCode !== null) {
            throw new Error(`it ended with code ${child.exitCode}: ${stderr}`);
          }
          return stdout.includes(READY);
        },
        { what: 'the stack to be ready', timeoutMs: 60_000 },
      );
    },
  };
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end in this process, which is faster. */
export async function sluice(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  let stdout = '';
  let stderr = '';
  const code = await runCommandLine(parameters, {
    commands,
    // The contexts of the person who runs the tests must not choose a deployment.
    environment: { ...process.env, SLUICE_CONFIG: '/dev/null', ...environment },
    folder: process.cwd(),
    print: (text) => {
      stdout += `${text}\n`;
    },
    printError: (text) => {
      stderr += `${text}\n`;
    },
  });
  return { code, stdout, stderr };
}

/** A command that runs in this process as on a terminal, until it ends or until Ctrl-C. */
export interface WatchedCommand {
  readonly said: { readonly output: string; readonly errors: string };
  readonly ended: Promise<number>;
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** Resolves when it has printed this text. */
  until(text: string): Promise<void>;
}

/** Starts a command as on a terminal. It is interrupted after the test. */
export function watchSluice(parameters: readonly string[]): WatchedCommand {
  const said = { output: '', errors: '' };
  const interrupts = new Set<() => void>();
  const ended = runCommandLine(parameters, {
    commands,
    environment: {},
    folder: process.cwd(),
    print: (text) => {
      said.output += `${text}\n`;
    },
    printError: (text) => {
      said.errors += `${text}\n`;
    },
    terminal: {
      input: new PassThrough(),
      output: new PassThrough(),
      errors: new PassThrough(),
      interactive: true,
      onInterrupt: (listener) => {
        interrupts.add(listener);
        return () => void interrupts.delete(listener);
      },
    },
  });
  const interrupt = () => {
    for (const listener of interrupts) listener();
  };
  onTestFinished(async () => {
    interrupt();
    await ended;
  });
  return {
    said,
    ended,
    interrupt,
    until: async (text) => {
      await waitUntil(() => said.output.includes(text), {
        what: `'${text}' in ${said.output}`,
        timeoutMs: 20_000,
      });
    },
  };
}

/** Runs a command to its end in its own process, as a shell would. */
export async function sluiceProcess(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const run = runSluice(parameters, environment);
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

/** The state folder of the run, which identifies its processes. */
function stateOf(parameters: readonly string[]): string | undefined {
  const option = parameters.indexOf('--state');
  const isStart = parameters.includes('up') || parameters.includes('start');
  return option < 0 || !isStart ? undefined : parameters[option + 1];
}
