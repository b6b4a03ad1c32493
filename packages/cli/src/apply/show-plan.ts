import type { Change, ChangePlan, FieldChange } from './plan-changes.ts';

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

/** The planned changes as text, with one line for each change. */
export function planText({ changes, unchanged }: ChangePlan): string {
  const count = (action: Change['action']) =>
    changes.filter((change) => change.action === action).length;
  const summary = `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${unchanged} unchanged`;
  return [...changes.map(changeLine), summary].join('\n');
}

/** One change as a line, such as `~ plans/free  weight: 1 -> 2`. */
export function changeLine(change: Change): string {
  const name = `${SIGNS[change.action]} ${change.kind}/${change.document.id}`;
  if (change.action !== 'update') return name;
  return `${name}  ${change.fields.map(fieldText).join('; ')}`;
}

function fieldText({ field, before, after }: FieldChange): string {
  return `${field}: ${valueText(before)} -> ${valueText(after)}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return '(none)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function planJson({ changes, unchanged }: ChangePlan, dryRun: boolean): object {
  return {
    dry_run: dryRun,
    changes: changes.map((change) => ({
      action: change.action,
      kind: change.kind,
      id: change.document.id,
      ...(change.action === 'update' && { fields: change.fields }),
    })),
    unchanged,
  };
}
