import * as z from 'zod';

export const Identifier = z.string().min(1).max(128);
/** A time in Unix milliseconds. */
export const Moment = z.int().min(0);
export const DisplayName = z.string().trim().min(1).max(128);

/** From the least to the most rights. */
const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

export const OrganizationPath = z.object({ organization: Identifier });

/** Names a page of a list. A reply has the name of the next page. */
const PageName = z.string().min(1).max(1_024);
export const PageQuery = z.object({ page: PageName.optional() });
export const SearchQuery = PageQuery.extend({
  search: z.string().max(256).optional().describe('Part of an id or of a name.'),
});

const PageFields = {
  /** Null on the last page. */
  next_page: PageName.nullable(),
  /** The number of items on all pages, where it is known. */
  total: z.number().optional(),
};

/** The schema of a page of a list. The items are in the field with this name. */
export function pageOf<Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const items: z.ZodArray<Item> = z.array(item);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript widens a computed name to any text
  const shape = { [name]: items, ...PageFields } as Record<Name, typeof items> & typeof PageFields;
  return z.object(shape);
}

/** The reply to a change that returns no data. */
export const Done = z.object({});
