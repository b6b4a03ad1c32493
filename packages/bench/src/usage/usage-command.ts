import { join } from 'node:path';
import * as z from 'zod';
import { UsageError, parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { startProgram } from '../programs/child-program.ts';
import { ROOT } from '../programs/repository.ts';
import { table } from '../report/table.ts';

const DATABASES = ['postgres', 'pglite'] as const;
const RECORDS = { postgres: 10_000_000, pglite: 1_000_000 } as const;
const ORGANIZATIONS = 1_000;

const Result = z.object({
  cost: z.object({ serviceMicroseconds: z.string(), databaseMicroseconds: z.string() }),
  questions: z.record(z.string(), z.string()),
});

export const usageCommand: Command = {
  help: `
Usage: npm run bench -- usage [OPTIONS]

Fills the tables of usage with made-up records of a month, and measures the CPU time
of a record and how long the daily questions of operators take.

Options:
  --database NAME      ${DATABASES.join(' or ')} (${DATABASES[0]})
  --records N          records in the tables (${RECORDS.postgres}; with pglite ${RECORDS.pglite})
  --organizations N    number of organizations (${ORGANIZATIONS})
  --json               the result as JSON
  --help               this text
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const options = parseOptions(parameters, {
      database: { type: 'string', default: DATABASES[0] },
      records: { type: 'string' },
      organizations: { type: 'string', default: String(ORGANIZATIONS) },
      json: { type: 'boolean', default: false },
    });
    const database = DATABASES.find((known) => known === options.database);
    if (database === undefined) {
      throw new UsageError(`--database must be one of ${DATABASES.join(', ')}`);
    }
    const bounds = { least: 1_000, most: 1_000_000_000 };
    const records = wholeNumber('--records', options.records ?? String(RECORDS[database]), bounds);
    const organizations = wholeNumber('--organizations', options.organizations, {
      least: 1,
      most: 1_000_000,
    });
    say(`filling ${database} with ${records} records …`);
    const program = cleanUp.use(
      await startProgram({
        name: 'usage-measure',
        program: process.execPath,
        parameters: [
          join(ROOT, 'services/usage/tests/measure-process.ts'),
          `--database=${database}`,
          `--records=${records}`,
          `--organizations=${organizations}`,
        ],
        tether: true,
      }),
    );
    const result = Result.parse(JSON.parse(await program.firstLine));
    const { cost, questions } = result;
    if (options.json) print(JSON.stringify(result, undefined, 2));
    else {
      print(
        table([
          ['CPU time of a record, median [quartiles]', 'µs'],
          ['service', cost.serviceMicroseconds],
          ...(database === 'postgres' ? [['database', cost.databaseMicroseconds]] : []),
          ['question, median [quartiles]', 'ms'],
          ...Object.entries(questions),
        ]),
      );
    }
    return 0;
  },
};
