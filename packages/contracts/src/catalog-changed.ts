import * as z from 'zod';

/**
 * Sent by the catalog to all gateways, after every change. Epoch and sequence are those of a `Revision`. Sequences have
 * no gaps, so a gateway notices a lost message.
 */
export const CatalogChanged = z.object({
  epoch: z.int().min(0),
  sequence: z.int().min(0),
  /** The organizations whose answers change. If it is left out, the answers of all organizations change. */
  organizations: z.array(z.string()).optional(),
  /** `models` if no other answers change. If it is absent, any answer may change. An unknown value counts as absent. */
  answers: z.literal('models').optional().catch(undefined),
});
export type CatalogChanged = z.infer<typeof CatalogChanged>;
