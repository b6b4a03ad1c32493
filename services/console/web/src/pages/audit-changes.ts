type Document = Readonly<Record<string, unknown>> | null;

export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The fields that differ between two versions of a document. */
export function changesOf(before: Document, after: Document): FieldChange[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changes: FieldChange[] = [];
  for (const field of fields) {
    const change = { field, before: write(before?.[field]), after: write(after?.[field]) };
    if (change.before !== change.after) changes.push(change);
  }
  return changes;
}

function write(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
