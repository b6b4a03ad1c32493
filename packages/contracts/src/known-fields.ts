import * as z from 'zod';

export interface KnownFields<Document> {
  readonly document: Document;
  /** Paths of the fields that were dropped, such as `members[0].role`. */
  readonly unknownFields: readonly string[];
}

/**
 * Reads a document that a newer version may have written, so that two versions can run side by side. Fields that the
 * schema does not know are dropped. They are also removed from `stored`, which is changed in place. Throws a ZodError
 * if the rest is still invalid.
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
