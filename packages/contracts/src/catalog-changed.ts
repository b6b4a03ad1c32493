import * as z from 'zod';

/** Catalog to all gateways, after every change: places in the store's history follow each other without gaps. */
export const CatalogChanged = z.object({
  epoch: z.int().min(0),
  sequence: z.int().min(0),
  /** Whose answers it changes; left out, everybody's. */
  organizations: z.array(z.string()).optional(),
});
export type CatalogChanged = z.infer<typeof CatalogChanged>;
