import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { parseOptions, wholeNumber, type Command } from '../command-line.ts';
import {
  describeMachine,
  machineMicroseconds,
  stolenMicroseconds,
  treeMicroseconds,
} from '../measure/process-usage.ts';
import { startProgram } from '../programs/child-program.ts';
import { ROOT } from '../programs/repository.ts';
import { startStack } from '../programs/sluice-stack.ts';
import { fillConsole } from './fill-console.ts';
import { breaksConsolePromise, renderConsole, reportConsole } from './report-console.ts';
import { SimulatedFleet } from './simulated-fleet.ts';

const KEYS = 10_000;
const ORGANIZATIONS = 1_000;
const WORKERS = 1_000;
const REQUESTS = 10_000;
const ROUNDS = 5;
const BUILT_WITHIN_MS = 120_000;
const SETTLE_MS = 3_000;
const POLL_MS = 200;

const Result = z.object({
  times: z.record(z.string(), z.array(z.number())),
  script_bytes: z.object({ first_page: z.number(), all: z.number() }),
});

export const consoleCommand: Command = {
  help: `
Usage: npm run bench -- console [OPTIONS]

Measures in Chromium how long each page of the console takes until it is usable, with
many keys, organizations, workers and requests.

Options:
  --keys N            keys of the organization (${KEYS})
  --organizations N   organizations of the platform (${ORGANIZATIONS})
  --workers N         workers that send heartbeats (${WORKERS})
  --requests N        recorded requests (${REQUESTS})
  --rounds N          how often each page is opened (${ROUNDS})
  --json              the result as JSON
  --help              this text
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const options = parseOptions(parameters, {
      keys: { type: 'string', default: String(KEYS) },
      organizations: { type: 'string', default: String(ORGANIZATIONS) },
      workers: { type: 'string', default: String(WORKERS) },
      requests: { type: 'string', default: String(REQUESTS) },
      rounds: { type: 'string', default: String(ROUNDS) },
      json: { type: 'boolean', default: false },
    });
    const bounds = { least: 100, most: 100_000 };
    const keys = wholeNumber('--keys', options.keys, bounds);
    const organizations = wholeNumber('--organizations', options.organizations, bounds);
    const workers = wholeNumber('--workers', options.workers, bounds);
    const requests = wholeNumber('--requests', options.requests, { least: 1, most: 20_000 });
    const rounds = wholeNumber('--rounds', options.rounds, { least: 1, most: 100 });

    say('starting Sluice with usage and the console …');
    const stack = cleanUp.use(await startStack({ console: true, usage: true }));
    say(`writing ${keys} keys, ${organizations} organizations and ${requests} requests …`);
    await fillConsole(stack, { keys, organizations, requests });
    cleanUp.use(await SimulatedFleet.start(stack.natsUrl, workers));
    say('waiting for the pages to be built …');
    await untilServed(stack.consoleUrl);
    await delay(SETTLE_MS);

    say(`opening every page ${rounds} times …`);
    const before = look();
    const program = cleanUp.use(
      await startProgram({
        name: 'measure-pages',
        program: process.execPath,
        parameters: [
          join(ROOT, 'services/console/tests/support/measure-pages-program.ts'),
          `--console=${stack.consoleUrl}`,
          `--sign-in=${stack.signInUrl}`,
          `--api=${stack.apiRoot}`,
          `--model=${stack.models[0] ?? ''}`,
          `--rounds=${rounds}`,
        ],
        tether: true,
      }),
    );
    const result = Result.parse(JSON.parse(await program.firstLine));
    const after = look();
    const elapsed = (after.at - before.at) * 1_000;
    const machine = describeMachine();
    const ours = after.ours - before.ours;
    const report = reportConsole({
      machine,
      keys,
      organizations,
      workers,
      requests,
      times: result.times,
      scriptBytes: { firstPage: result.script_bytes.first_page, all: result.script_bytes.all },
      foreignCores: Math.max(0, (after.machine - before.machine - ours) / elapsed),
      stolenShare: (after.stolen - before.stolen) / (elapsed * machine.cores),
    });
    print(options.json ? JSON.stringify(report, undefined, 2) : renderConsole(report));
    return breaksConsolePromise(report) ? 1 : 0;
  },
};

/** Processor time so far. Everything that the benchmark has started is below its own process. */
function look() {
  return {
    at: performance.now(),
    machine: machineMicroseconds(),
    stolen: stolenMicroseconds(),
    ours: treeMicroseconds(process.pid),
  };
}

/** The first start builds the pages after the stack has become ready. */
async function untilServed(consoleUrl: string): Promise<void> {
  const giveUpAt = performance.now() + BUILT_WITHIN_MS;
  for (;;) {
    const response = await fetch(consoleUrl).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok === true) return;
    if (performance.now() > giveUpAt) throw new Error('the pages of the console were not built');
    await delay(POLL_MS);
  }
}
