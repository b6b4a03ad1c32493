import * as z from 'zod';

export interface KnownFields<Document> {
  readonly document: Document;
  /** Paths of the fields that were dropped, such as `members[0].role`. */
  readonly unknownFields: readonly string[];
}

/**
 * Reads what a newer version may have written: fields that the schema does not know are dropped, from `stored` itself,
 * so that two versions can run side by side. Throws a ZodError when that is not enough.
 */
export function readKnownFields<Document>(
  schema: z.ZodType<Document>,
  stored: unknown,
): KnownFields<Document> {
  const { success, data, error } = schema.safeParse(stored);
  if (success) return { document: data, unknownFields: [] };
  const unknownFields = dropUnknownFields(stored, error);
  if (unknownFields.length === 0) throw error;
  return { document: schema.parse(stored), unknownFields };
}

function dropUnknownFields(document: unknown, { issues }: z.ZodError): string[] {
  const dropped: string[] = [];
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = issue.path.reduce<unknown>(
      (within, step) => (isObject(within) ? Reflect.get(within, step) : undefined),
      document,
    );
    if (!isObject(holder)) continue;
    for (const key of issue.keys) {
      if (Reflect.deleteProperty(holder, key)) dropped.push(z.core.toDotPath([...issue.path, key]));
    }
  }
  return dropped;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
