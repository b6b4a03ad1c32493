import { UsageError, parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { askQuestions } from './ask-questions.ts';
import { LedgerLoad } from './ledger-load.ts';
import { measureFlow } from './measure-flow.ts';
import { brokenPromises, renderUsage, type UsageReport } from './report-usage.ts';
import { DATABASES, prepareUsageStage } from './usage-stage.ts';

const RECORDS = { postgres: 10_000_000, pglite: 1_000_000 } as const;
const RATE = { postgres: 5_000, pglite: 1_000 } as const;
const ORGANIZATIONS = 1_000;
const SECONDS = 30;

export const usageCommand: Command = {
  help: `
Usage: npm run bench -- usage [OPTIONS]

Fills the tables of usage with made-up records of a month. Then it asks the daily
questions of operators, each by one command of sluice; measures the cost of a record
and the lag under load, from the real ledger; and stops usage for a while, to see how
fast it catches up.

Options:
  --database NAME      ${DATABASES.join(' or ')} (${DATABASES[0]})
  --records N          records in the tables (${RECORDS.postgres}; with pglite ${RECORDS.pglite})
  --organizations N    number of organizations (${ORGANIZATIONS})
  --rate N             requests a second, each with two records (${RATE.postgres}; with pglite ${RATE.pglite}).
                       0 leaves the load out
  --seconds N          how long the load lasts (${SECONDS})
  --stopped N          for how many seconds usage is stopped (${SECONDS})
  --json               the result as JSON
  --help               this text
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const options = parseOptions(parameters, {
      database: { type: 'string', default: DATABASES[0] },
      records: { type: 'string' },
      organizations: { type: 'string', default: String(ORGANIZATIONS) },
      rate: { type: 'string' },
      seconds: { type: 'string', default: String(SECONDS) },
      stopped: { type: 'string', default: String(SECONDS) },
      json: { type: 'boolean', default: false },
    });
    const database = DATABASES.find((known) => known === options.database);
    if (database === undefined) {
      throw new UsageError(`--database must be one of ${DATABASES.join(', ')}`);
    }
    const number = (name: string, text: string, least: number) =>
      wholeNumber(name, text, { least, most: 1_000_000_000 });
    const records = number('--records', options.records ?? String(RECORDS[database]), 1_000);
    const organizations = number('--organizations', options.organizations, 1);
    const rate = number('--rate', options.rate ?? String(RATE[database]), 0);
    const seconds = number('--seconds', options.seconds, 1);
    const stoppedSeconds = number('--stopped', options.stopped, 1);

    say(`filling ${database} with ${records} records …`);
    const stage = await prepareUsageStage({ database, records, organizations }, cleanUp);
    const load = cleanUp.use(await LedgerLoad.start(stage.nats.url, organizations));
    const service = await stage.startUsage();
    const questions = await askQuestions(stage, say);
    const flowOptions = { load, rate, seconds, stoppedSeconds };
    const flow = rate === 0 ? null : await measureFlow(stage, service, flowOptions, say);
    const { fillSeconds, cost } = stage.filled;
    const report: UsageReport = {
      database,
      records,
      filled: { fillSeconds, cost },
      questions,
      flow,
    };
    print(options.json ? JSON.stringify(report, undefined, 2) : renderUsage(report));
    return brokenPromises(report).length === 0 ? 0 : 1;
  },
};
