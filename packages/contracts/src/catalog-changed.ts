import * as z from 'zod';

/** Catalog to all gateways, after every change: places in the store's history follow each other without gaps. */
export const CatalogChanged = z.object({
  epoch: z.int().min(0),
  sequence: z.int().min(0),
  /** Whose answers it changes; left out, everybody's. */
  organizations: z.array(z.string()).optional(),
  /** Which answers it changes: lists of models only; left out, or of a newer version, any. */
  answers: z.literal('models').optional().catch(undefined),
});
export type CatalogChanged = z.infer<typeof CatalogChanged>;
