import type { AuditRecord } from '@sluice/rpc';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { readKind } from '../catalog/kinds.ts';
import {
  EXIT_DONE,
  parseOptions,
  refusePositionals,
  wholeNumber,
  type Command,
} from '../command.ts';
import { dateText } from '../readable-values.ts';
import { table } from '../table.ts';

const MOST = 100_000;

export const audit: Command = {
  help: `
Usage: sluice audit [OPTIONS]

Shows the changes of the catalog, the newest first: the time, the name of the admin
token, and the entry. The JSON also has the entry before and after the change.

Options:
  --kind KIND       only changes of this kind, as in 'sluice get'
  --id ID           only changes of this entry
  --limit N         the largest number of changes (50)
  --json            JSON instead of a table
${CATALOG_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      kind: { type: 'string' },
      id: { type: 'string', default: '' },
      limit: { type: 'string', default: '50' },
      json: { type: 'boolean', default: false },
      ...CATALOG_OPTIONS,
    });
    refusePositionals(positionals);
    // An empty kind selects the records of all kinds.
    const kind = values.kind === undefined ? '' : readKind(values.kind);
    const limit = wholeNumber('--limit', values.limit, { minimum: 1, maximum: MOST });
    const records = await withCatalog(values, context, async (admin) => {
      const found: AuditRecord[] = [];
      let before = 0;
      do {
        const { id } = values;
        const page = await admin.listAudit({ kind, id, before, limit: limit - found.length });
        found.push(...page.records);
        before = page.nextBefore;
      } while (before !== 0 && found.length < limit);
      return found;
    });
    if (values.json) context.print(JSON.stringify(records.map(recordJson)));
    else {
      const rows = records.map(({ atMs, who, action, ...entry }) => [
        dateText(atMs),
        who,
        action,
        `${entry.kind}/${entry.id}`,
      ]);
      context.print(table(['when (UTC)', 'who', 'action', 'what'], rows));
    }
    return EXIT_DONE;
  },
};

function recordJson({ position, atMs, who, action, kind, id, before, after }: AuditRecord): object {
  return {
    sequence: position?.sequence ?? null,
    at: new Date(atMs).toISOString(),
    who,
    action,
    kind,
    id,
    before: before === undefined ? null : parsed(before),
    after: after === undefined ? null : parsed(after),
  };
}

function parsed(document: string): unknown {
  return JSON.parse(document);
}
