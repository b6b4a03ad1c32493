import type { FileKind } from '../apply/file-kinds.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { UsageError, type Command } from '../command.ts';
import { CONFIRM_HELP, CONFIRM_OPTIONS, confirm } from '../confirm.ts';
import { defineCommand } from '../define-command.ts';
import { createEntry, setFields } from '../edit/edit-resource.ts';
import { FIELDS, fieldOptions, fieldsHelp, readEdit } from '../edit/fields.ts';
import { LIST_FORMATS, outputHelp } from '../output/formats.ts';
import { readVerb } from '../read-verb.ts';
import { entries } from './get.ts';

const VERBS = ['create', 'set', 'delete'] as const;

/** A command for one kind of entry, such as `sluice plans`. */
export function resourceCommand(kind: FileKind): Command {
  const fields = FIELDS[kind];
  // A project belongs to its organization for good, so nothing of it can be set.
  const verbs = kind === 'projects' ? VERBS.filter((verb) => verb !== 'set') : VERBS;
  const usages = verbs.map(
    (verb) => `sluice ${kind} ${verb} ID${verb === 'delete' ? '' : ' [FIELDS]'}`,
  );
  return defineCommand({
    help: `
Usage: ${[`sluice ${kind} [ID]`, ...usages].join('\n       ')}

Shows all ${kind} or one, and creates, changes and deletes them. 'set'
keeps the fields that are not named. Other fields need a file: see 'sluice apply'.

Fields:
${fieldsHelp(fields)}

Options:
${CONFIRM_HELP}
${outputHelp(LIST_FORMATS)}
${CATALOG_OPTIONS_HELP}
`,
    options: { ...fieldOptions(fields), ...CONFIRM_OPTIONS, ...CATALOG_OPTIONS },
    formats: LIST_FORMATS,
    words: [{ words: verbs, idOf: kind }, { idOf: kind }],
    run: async ({ values, positionals, show }, context) => {
      const edit = readEdit(fields, values);
      const [first] = positionals;
      if (positionals.length < 2 && !verbs.some((known) => known === first)) {
        if (edit !== undefined) throw new UsageError(`fields are for '${kind} create' and 'set'`);
        show(await entries(kind, first, values, context));
        return;
      }
      const { verb, rest } = readVerb(kind, verbs, positionals);
      const [id, ...more] = rest;
      if (id === undefined || more.length > 0) {
        throw new UsageError(`name one id: '${kind} ${verb} ID'`);
      }
      await withCatalog(values, context, async (admin) => {
        if (verb === 'create') show(await createEntry(admin, { kind, id, edit }));
        else if (verb === 'set') {
          if (edit === undefined) throw new UsageError('name a field to set; --help lists them');
          show(await setFields(admin, { kind, id, edit }));
        } else {
          if (edit !== undefined) throw new UsageError(`'${kind} delete' takes no fields`);
          await confirm(`Delete ${kind}/${id}? This cannot be undone.`, values, context);
          await admin.deleteResource({ kind, id });
          show({ data: { kind, id, deleted: true }, text: () => `- ${kind}/${id}` });
        }
      });
    },
  });
}
