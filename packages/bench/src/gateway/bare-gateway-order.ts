import * as z from 'zod';

/** Each step does everything that the previous one does, and more. */
export const BARE_STEPS = ['http', 'limits', 'bus'] as const;

export const BareGatewayOrder = z.object({
  step: z.enum(BARE_STEPS),
  port: z.int(),
  quotaAddress: z.string(),
  natsUrl: z.string(),
});
export type BareGatewayOrder = z.infer<typeof BareGatewayOrder>;
export type BareStep = BareGatewayOrder['step'];
