import * as z from 'zod';
import { parseOptions, type Command } from '../command-line.ts';
import { jsonLines } from '../programs/json-lines.ts';
import { formatNumber, table } from '../report/table.ts';

const FILE = 'services/gateway/tests/routing/choice-process.ts';
/** How many microseconds a choice may take, by the number of workers. */
const LIMITS: ReadonlyMap<number, number> = new Map([
  [1_000, 10],
  [10_000, 20],
]);

const Line = z.object({
  workers: z.int(),
  old: z.number(),
  shortPrompt: z.number(),
  cold: z.number(),
  warm: z.number(),
  offered: z.number(),
});

export const choiceCommand: Command = {
  help: `
Usage: npm run bench -- choice [OPTIONS]

How long a gateway takes to choose a worker, compared with the rule of version 0.2.

Options:
  --json        the result as JSON
  --help        this text
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const { json } = parseOptions(parameters, { json: { type: 'boolean', default: false } });
    const stopping = new AbortController();
    cleanUp.defer(() => stopping.abort());
    say('choosing among 10 to 10,000 workers …');
    const lines = z.array(Line).parse(await jsonLines({ file: FILE, signal: stopping.signal }));
    const isKept = lines.every(
      ({ workers, cold, warm }) => Math.max(cold, warm) <= (LIMITS.get(workers) ?? Infinity),
    );
    const rows = lines.map(({ workers, ...figures }) => [
      formatNumber(workers, 0),
      ...[figures.old, figures.shortPrompt, figures.cold, figures.warm, figures.offered].map(
        (value) => formatNumber(value, 2),
      ),
    ]);
    const titles = ['workers', 'version 0.2', 'short prompt', 'cold', 'warm', 'with the offer'];
    const text = `Microseconds for a choice; prompts of 4,000 tokens unless short\n\n${table([titles, ...rows])}`;
    print(json ? JSON.stringify(lines, undefined, 2) : text);
    if (!isKept) say('a choice took longer than promised');
    return isKept ? 0 : 1;
  },
};
