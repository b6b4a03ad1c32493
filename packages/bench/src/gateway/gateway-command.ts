import { setTimeout as delay } from 'node:timers/promises';
import { PauseWitness } from '@sluice/devkit/pauses';
import {
  measuringOptionsHelp,
  parseOptions,
  wholeNumber,
  type Command,
  type CommandContext,
} from '../command-line.ts';
import { observe, perUnit, sumOf, type Watched } from '../compare/observe.ts';
import { rotated } from '../compare/rotated.ts';
import { warmUp } from '../compare/warm-up.ts';
import { smallRequests } from '../compare/works.ts';
import {
  CannotRun,
  type Contestant,
  type StartContestant,
  type StartContext,
} from '../contestants/contestant.ts';
import { startNginx } from '../contestants/nginx.ts';
import { startPortkey } from '../contestants/portkey.ts';
import { startSluice, type SluiceContestant } from '../contestants/sluice.ts';
import { startLoadGenerator } from '../load/load-generator.ts';
import { startSimulatorProgram } from '../programs/simulator-program.ts';
import { BARE_STEPS, type BareStep } from './bare-gateway-options.ts';
import { startBareGateway } from './bare-gateway.ts';
import { renderGateway, reportGateway, type Cost, type RivalName } from './report-gateway.ts';

const ROUNDS = 5;
const AT_ONCE = 32;
const MAX_AT_ONCE = 1_024;
/** Pause after the load has begun, before it is measured. */
const SETTLE_MS = 700;
const MEASURED_SECONDS = 2.5;

/** Processes of the stack that each bare gateway uses, in addition to its own process. */
const USED_BY: Readonly<Record<BareStep, readonly string[]>> = {
  http: [],
  limits: ['quota', 'redis'],
  bus: ['quota', 'redis', 'nats', 'worker'],
};

const OTHER_GATEWAYS: readonly (readonly [RivalName, StartContestant])[] = [
  ['nginx', startNginx],
  ['portkey', startPortkey],
];

/** One of the compared gateways. */
interface Rival extends Pick<Contestant, 'target' | 'processes'> {
  readonly name: RivalName;
}

/** Compares the gateway with the minimum that a gateway of its kind must do, under the same workload. */
export const gatewayCommand: Command = {
  help: `
Usage: npm run bench -- gateway [OPTIONS]

Measures what a small request costs the gateway, compared with minimal gateways: one
with HTTP alone, one that also asks for a decision on the limits, and one that also uses
the bus and a worker. nginx and Portkey are measured too.

Options:
${measuringOptionsHelp(ROUNDS)}
  --at-once N   number of concurrent requests (${AT_ONCE})
`,
  run: async (parameters, context) => {
    const options = parseOptions(parameters, {
      rounds: { type: 'string', default: String(ROUNDS) },
      json: { type: 'boolean', default: false },
      'at-once': { type: 'string', default: String(AT_ONCE) },
    });
    const rounds = wholeNumber('--rounds', options.rounds, { least: 1, most: 100 });
    const atOnce = wholeNumber('--at-once', options['at-once'], { least: 1, most: MAX_AT_ONCE });
    const costs = await measureRounds(rounds, atOnce, context);
    const report = reportGateway(costs, atOnce);
    context.print(options.json ? JSON.stringify(report, undefined, 2) : renderGateway(report));
    return 0;
  },
};

async function measureRounds(
  rounds: number,
  atOnce: number,
  { cleanUp, say }: CommandContext,
): Promise<Cost[]> {
  const simulator = cleanUp.use(await startSimulatorProgram());
  const generator = cleanUp.use(startLoadGenerator());
  const witness = cleanUp.use(await PauseWitness.start());
  const rivals = await startRivals({ simulator, say }, cleanUp);
  for (const rival of rivals) {
    say(`warming up ${rival.name} …`);
    await warmUp(rival, generator, ['requests']);
    await simulator.idle();
  }
  const pattern = { kind: 'closed loop', connections: atOnce } as const;
  const costs: Cost[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const rival of rotated(rivals, round - 1)) {
      const { name, target } = rival;
      say(`round ${round}/${rounds}  ${name}`);
      await generator.start({ target, ...smallRequests, pattern });
      await delay(SETTLE_MS);
      const cost = await costOf({ contestant: rival, generator, simulator, witness });
      costs.push({ round, name, ...cost });
      await generator.stop();
      await simulator.idle();
    }
  }
  return costs;
}

async function startRivals(context: StartContext, cleanUp: AsyncDisposableStack): Promise<Rival[]> {
  context.say('starting Sluice, three bare gateways, nginx and Portkey …');
  const sluice = cleanUp.use(await startSluice(context));
  const rivals: Rival[] = [{ ...sluice, name: 'sluice' }];
  for (const step of BARE_STEPS) rivals.push(await startBare(step, sluice, cleanUp));
  for (const [name, start] of OTHER_GATEWAYS) {
    try {
      rivals.push({ ...cleanUp.use(await start(context)), name });
    } catch (error) {
      if (!(error instanceof CannotRun)) throw error;
      context.say(`${name} is NOT RUN: ${error.message}`);
    }
  }
  return rivals;
}

async function startBare(
  step: BareStep,
  { stack, processes }: SluiceContestant,
  cleanUp: AsyncDisposableStack,
): Promise<Rival> {
  const quota = (await stack.processes()).find(({ name }) => name === 'quota');
  if (quota === undefined) throw new Error('the stack has no quota service');
  const servers = { natsUrl: stack.natsUrl, quotaAddress: new URL(quota.url).host };
  const bare = cleanUp.use(await startBareGateway(step, servers));
  const used = Object.entries(processes).filter(([name]) => USED_BY[step].includes(name));
  return {
    name: step,
    target: bare.target,
    processes: { gateway: [bare.pid], ...Object.fromEntries(used) },
  };
}

async function costOf(watched: Watched): Promise<Omit<Cost, 'round' | 'name'>> {
  const { cpu, completed, seconds, quality } = await observe(watched, MEASURED_SECONDS);
  if (completed === 0) throw new Error('no request was answered');
  return {
    gatewayUs: perUnit(cpu, completed)['gateway'] ?? Number.NaN,
    allUs: sumOf(cpu) / completed,
    perSecond: completed / seconds,
    foreignCores: quality.foreignCores,
  };
}
