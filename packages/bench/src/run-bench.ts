import { catalogCommand } from './catalog/catalog-command.ts';
import { UsageError, type Command } from './command-line.ts';
import { compareCommand, worksHelp } from './compare/compare-command.ts';
import { CONTESTANTS } from './contestants/contestant.ts';
import { canMeasureProcesses } from './measure/process-usage.ts';
import { quotaCommand } from './quota/quota-command.ts';
import { soakCommand } from './soak/soak-command.ts';
import { telemetryCommand } from './telemetry/telemetry-command.ts';
import { workerCommand } from './worker/worker-command.ts';

const HELP = `Usage: npm run bench [-- OPTIONS]          Sluice beside what one would use instead
       npm run bench -- quota [OPTIONS]    decisions on limits, beside Redis itself
       npm run bench -- catalog [OPTIONS]  100,000 keys: memory, start, look-ups
       npm run bench -- worker [OPTIONS]   one worker alone
       npm run bench -- telemetry [OPTIONS] what OpenTelemetry costs, on and off
       npm run soak -- --minutes N         hours of mixed load with faults

Options of the comparison:
  --rounds N          how often everything is measured (5)
  --quick             one short round, to see that it works
  --only WORK         this work alone; may be given more than once
  --contestant NAME   this contestant alone; may be given more than once
  --json              the result as JSON, with every single measurement
  --help              this text

Works:
${worksHelp}

Contestants: ${CONTESTANTS.join(', ')}

Progress goes to standard error, the result to standard output. The exit code is 1 when a promise
is broken, and 2 when the command is wrong or cannot be run here.`;

const COMMANDS: Readonly<Record<string, Command>> = {
  compare: compareCommand,
  quota: quotaCommand,
  catalog: catalogCommand,
  worker: workerCommand,
  telemetry: telemetryCommand,
  soak: soakCommand,
};

/** Finds the command, runs it and cleans up after it, also when it is broken off. */
export async function runBench(parameters: readonly string[]): Promise<number> {
  if (parameters.includes('--help') || parameters.includes('-h')) {
    console.log(HELP);
    return 0;
  }
  const [word = ''] = parameters;
  const named = word !== '' && !word.startsWith('-');
  const command = COMMANDS[named ? word : 'compare'];
  if (command === undefined) {
    console.error(`bench: there is no '${word}'; try --help`);
    return 2;
  }
  if (!canMeasureProcesses()) {
    console.error('bench: this system does not tell what a process has used; it needs Linux');
    return 2;
  }
  await using cleanUp = new AsyncDisposableStack();
  breakOffWithSignals(cleanUp);
  try {
    return await command(named ? parameters.slice(1) : parameters, {
      cleanUp,
      say: (line) => console.error(line),
      print: (text) => console.log(text),
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`bench: ${error.message}`);
    return 2;
  }
}

function breakOffWithSignals(cleanUp: AsyncDisposableStack): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      console.error('bench: stopping …');
      void cleanUp.disposeAsync().finally(() => process.exit(130));
    });
  }
}
