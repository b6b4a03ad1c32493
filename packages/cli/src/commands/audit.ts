import type { AuditRecord } from '@sluice/rpc';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { readKind } from '../catalog/kinds.ts';
import { refusePositionals, wholeNumber } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { LIST_FORMATS, outputHelp } from '../output/formats.ts';
import { dateText } from '../readable-values.ts';
import { table } from '../table.ts';

const MOST_RECORDS = 100_000;

export const audit = defineCommand({
  help: `
Usage: sluice audit [OPTIONS]

Shows the changes of the catalog, the newest first: the time, the name of the admin
token, and the entry. JSON and YAML also have the entry before and after the change.

Options:
  --kind KIND       only changes of this kind, as in 'sluice get'
  --id ID           only changes of this entry
  --limit N         the largest number of changes (50)
${outputHelp(LIST_FORMATS)}
${CATALOG_OPTIONS_HELP}
`,
  options: {
    kind: { type: 'string' },
    id: { type: 'string', default: '' },
    limit: { type: 'string', default: '50' },
    ...CATALOG_OPTIONS,
  },
  formats: LIST_FORMATS,
  run: async ({ values, positionals, show }, context) => {
    refusePositionals(positionals);
    // An empty kind selects the records of all kinds.
    const kind = values.kind === undefined ? '' : readKind(values.kind);
    const limit = wholeNumber('--limit', values.limit, { minimum: 1, maximum: MOST_RECORDS });
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
    show({
      data: records.map(recordJson),
      text: (screen) =>
        table(['when (UTC)', 'who', 'action', 'what'], records.map(row), { screen }),
    });
  },
});

function row({ atMs, who, action, kind, id }: AuditRecord): string[] {
  return [dateText(atMs), who, action, `${kind}/${id}`];
}

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
