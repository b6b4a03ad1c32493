import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAllPrograms } from '@sluice/servers';
import { catalogCommand } from './catalog/catalog-command.ts';
import { UsageError, type Command } from './command-line.ts';
import { compareCommand } from './compare/compare-command.ts';
import { consoleCommand } from './console/console-command.ts';
import { gatewayCommand } from './gateway/gateway-command.ts';
import { canMeasureProcesses } from './measure/process-usage.ts';
import { neighboursCommand } from './neighbours/neighbours-command.ts';
import { quotaCommand } from './quota/quota-command.ts';
import { choiceCommand } from './routing/choice-command.ts';
import { prefixCommand } from './routing/prefix-command.ts';
import { soakCommand } from './soak/soak-command.ts';
import { stopRequests } from './stop-requests.ts';
import { telemetryCommand } from './telemetry/telemetry-command.ts';
import { usageCommand } from './usage/usage-command.ts';
import { versionsCommand } from './versions/versions-command.ts';
import { weightsCommand } from './weights/weights-command.ts';
import { workerCommand } from './worker/worker-command.ts';

const DEFAULT_COMMAND = 'compare';

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  [DEFAULT_COMMAND, compareCommand],
  ['gateway', gatewayCommand],
  ['quota', quotaCommand],
  ['catalog', catalogCommand],
  ['worker', workerCommand],
  ['choice', choiceCommand],
  ['prefix', prefixCommand],
  ['telemetry', telemetryCommand],
  ['neighbours', neighboursCommand],
  ['versions', versionsCommand],
  ['weights', weightsCommand],
  ['usage', usageCommand],
  ['console', consoleCommand],
  ['soak', soakCommand],
]);

const ENDING = `Progress goes to standard error, the result to standard output. The exit code is 1 when a promise
is broken, and 2 when the command is wrong or this machine cannot run it.`;

/** Finds the command, runs it, and cleans up when it ends or is interrupted. */
export async function runBench(parameters: readonly string[]): Promise<number> {
  const [word = ''] = parameters;
  const named = word !== '' && !word.startsWith('-');
  const command = COMMANDS.get(named ? word : DEFAULT_COMMAND);
  if (command === undefined) {
    console.error(`bench: there is no '${word}'; try --help`);
    return 2;
  }
  if (parameters.includes('--help') || parameters.includes('-h')) {
    console.log(`${command.help.trim()}\n\n${ENDING}`);
    return 0;
  }
  if (!canMeasureProcesses()) {
    console.error(
      'bench: this system does not report the CPU time of a process; Linux is required',
    );
    return 2;
  }
  return runToItsEnd(command, named ? parameters.slice(1) : parameters);
}

async function runToItsEnd(command: Command, parameters: readonly string[]): Promise<number> {
  const stop = stopRequests();
  await using folder = await temporaryFolder();
  await using cleanUp = new AsyncDisposableStack();
  const unlessStopped = (show: (text: string) => void) => (text: string) => {
    if (!stop.wasAsked) show(text);
  };
  const running = command.run(parameters, {
    cleanUp,
    say: unlessStopped((line) => console.error(line)),
    print: unlessStopped((text) => console.log(text)),
  });
  // After an interruption the command continues for a moment, although its resources are being released.
  const brokenOff = stop.asked.then(async (exitCode) => {
    console.error('bench: stopping …');
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, () => undefined);
    }
    await Promise.allSettled([cleanUp.disposeAsync(), endAllPrograms()]);
    await Promise.allSettled([folder[Symbol.asyncDispose]()]);
    return process.exit(exitCode);
  });
  try {
    return await Promise.race([running, brokenOff]);
  } catch (error) {
    if (stop.wasAsked) return await brokenOff;
    if (!(error instanceof UsageError)) throw error;
    console.error(`bench: ${error.message}`);
    return 2;
  }
}

/** A temporary folder for the whole run. It is deleted at the end, even when the run fails. */
async function temporaryFolder(): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  process.env['TMPDIR'] = folder;
  return {
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
