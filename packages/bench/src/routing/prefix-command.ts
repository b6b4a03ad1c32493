import * as z from 'zod';
import { parseOptions, type Command } from '../command-line.ts';
import { jsonLines } from '../programs/json-lines.ts';
import { formatNumber, table } from '../report/table.ts';

const FILE = 'services/gateway/tests/routing/prefix-process.ts';

const Result = z.object({ cached: z.number(), load: z.number(), seconds: z.number() });
type Result = z.infer<typeof Result>;

const Line = z.object({
  trace: z.string(),
  title: z.string(),
  seed: z.int(),
  results: z.object({
    oracle: Result,
    one_gateway: Result,
    three_gateways: Result,
    conversation_hash: Result,
    round_robin: Result,
  }),
});
type Line = z.infer<typeof Line>;

const RULES = {
  oracle: 'perfect knowledge',
  one_gateway: 'Sluice, one gateway',
  three_gateways: 'Sluice, three gateways',
  conversation_hash: 'version 0.2',
  round_robin: 'round robin',
} as const;

const MAX_LOAD = 1.25;
/** The smallest number of cached tokens, divided by the number with perfect knowledge. */
const MIN_OF_ORACLE = { one_gateway: 0.95, three_gateways: 0.9 } as const;
/** For the trace in which many conversations share few prompts: the smallest share of prompt tokens that is cached. */
const MIN_SHARED = 0.7;

export const prefixCommand: Command = {
  help: `
Usage: npm run bench -- prefix [OPTIONS]

How many prompt tokens are cached, with four workers that have the prefix cache of the simulator, on virtual time.

Options:
  --json        the result as JSON
  --help        this text
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const { json } = parseOptions(parameters, { json: { type: 'boolean', default: false } });
    const stopping = new AbortController();
    cleanUp.defer(() => stopping.abort());
    say('sending four traces through virtual fleets …');
    const lines = z.array(Line).parse(await jsonLines({ file: FILE, signal: stopping.signal }));
    print(json ? JSON.stringify(lines, undefined, 2) : renderPrefix(lines));
    const faults = lines.flatMap(faultsOf);
    for (const fault of faults) say(fault);
    return faults.length === 0 ? 0 : 1;
  },
};

function faultsOf({ trace, seed, results }: Line): string[] {
  const faults: string[] = [];
  for (const [name, least] of Object.entries(MIN_OF_ORACLE)) {
    const { cached, load } = name === 'one_gateway' ? results.one_gateway : results.three_gateways;
    const part = cached / results.oracle.cached;
    const isPromised = trace !== 'shared';
    if (isPromised && part < least) {
      faults.push(`${trace} ${seed}, ${name}: ${formatNumber(100 * part, 1)}% of the oracle`);
    }
    if (load > MAX_LOAD) faults.push(`${trace} ${seed}, ${name}: load ${formatNumber(load, 2)}`);
  }
  if (trace === 'shared' && results.one_gateway.cached < MIN_SHARED) {
    faults.push(`${trace} ${seed}: ${formatNumber(100 * results.one_gateway.cached, 1)}% cached`);
  }
  return faults;
}

function renderPrefix(lines: readonly Line[]): string {
  const traces = Map.groupBy(lines, ({ title }) => title);
  const parts = Array.from(traces, ([title, runs]) => {
    const rows = Object.entries(RULES).map(([name, rule]) => {
      const results = runs.map((run) => ({
        result: resultOf(run, name),
        oracle: run.results.oracle,
      }));
      return [
        `  ${rule}`,
        spread(
          results.map(({ result }) => 100 * result.cached),
          1,
        ),
        spread(
          results.map(({ result, oracle }) => (100 * result.cached) / oracle.cached),
          1,
        ),
        spread(
          results.map(({ result }) => result.load),
          2,
        ),
        spread(
          results.map(({ result }) => result.seconds),
          0,
        ),
      ];
    });
    return table([[title, 'cached, %', 'of perfect, %', 'load, max/mean', 'seconds'], ...rows]);
  });
  return parts.join('\n\n');
}

function resultOf({ results }: Line, name: string): Result {
  const result = new Map(Object.entries(results)).get(name);
  if (result === undefined) throw new Error(`there is no result of ${name}`);
  return result;
}

function spread(values: readonly number[], digits: number): string {
  const least = formatNumber(Math.min(...values), digits);
  const most = formatNumber(Math.max(...values), digits);
  return least === most ? least : `${least}–${most}`;
}
