import {
  UsageError,
  parseOptions,
  wholeNumber,
  type Command,
  type CommandContext,
} from '../command-line.ts';
import { KINDS, isKind, type KindName } from './kinds.ts';
import { measureKind } from './measure-kind.ts';
import { setUp, type MeasurementSetup } from './measurement-setup.ts';
import type { Measurement } from './measurement.ts';
import { keepsAll, renderNeighbours, reportKind, type KindReport } from './report-neighbours.ts';

const ROUNDS = 3;
/**
 * The p99 of a short measurement depends on a few requests. When it exceeds the limit, more rounds make it reliable.
 */
const FURTHER_ROUNDS = 4;

/** Measures whether one organization is delayed by the requests of another one. */
export const neighboursCommand: Command = {
  help: `
Usage: npm run bench -- neighbours [OPTIONS]

Measures how much hostile requests of one organization delay the requests and streams of
another one, compared with harmless requests of as many bytes, and for how long they block
the event loop of each process. A kind that seems to delay others is measured
${FURTHER_ROUNDS} more times.

Options:
  --kind KIND   measure only this kind, such as 'slow headers'; may be repeated
  --rounds N    number of rounds (${ROUNDS})
  --quick       one round, and no repetition
  --json        the result as JSON
  --help        this text

Kinds:
${KINDS.map((kind) => `  ${kind}`).join('\n')}
`,
  run: async (parameters, context) => {
    const options = parseOptions(parameters, {
      kind: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: String(ROUNDS) },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    });
    const kinds = options.kind.length === 0 ? KINDS : options.kind.map(kindOf);
    const rounds = wholeNumber('--rounds', options.rounds, { least: 1, most: 100 });
    const reports = await measureAll(kinds, context, {
      rounds: options.quick ? 1 : rounds,
      furtherRounds: options.quick ? 0 : FURTHER_ROUNDS,
    });
    context.print(options.json ? JSON.stringify(reports, undefined, 2) : renderNeighbours(reports));
    return keepsAll(reports) ? 0 : 1;
  },
};

function kindOf(name: string): KindName {
  if (isKind(name)) return name;
  throw new UsageError(`there is no kind '${name}'; --help lists them`);
}

async function measureAll(
  kinds: readonly KindName[],
  context: CommandContext,
  { rounds, furtherRounds }: { rounds: number; furtherRounds: number },
): Promise<KindReport[]> {
  const setup = await setUp(context);
  const measured: Measurement[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of kinds) {
      context.say(`round ${round}/${rounds}  ${kind}`);
      measured.push(...(await measureRound(setup, kind, round)));
    }
  }
  const doubtful = kinds.filter((kind) => reportKind(kind, measured).keeps_pace === false);
  for (let round = 1; round <= furtherRounds; round += 1) {
    for (const kind of doubtful) {
      context.say(`again ${round}/${furtherRounds}  ${kind}`);
      measured.push(...(await measureRound(setup, kind, rounds + round)));
    }
  }
  await setup.innocents.stop();
  return kinds.map((kind) => reportKind(kind, measured));
}

/** Measures both loads. Each of them is first in every other round. */
async function measureRound(
  setup: MeasurementSetup,
  kind: KindName,
  round: number,
): Promise<Measurement[]> {
  const loads = ['harmless', 'hostile'] as const;
  const measured: Measurement[] = [];
  for (const load of round % 2 === 1 ? loads : loads.toReversed()) {
    measured.push(await measureKind(setup, { round, kind, load }));
  }
  return measured;
}
