import * as z from 'zod';

/** How much of a real gateway the bare gateway does. Each step includes the previous one. */
export const BARE_STEPS = ['http', 'limits', 'bus'] as const;

/** The options of the process, as JSON in its first parameter. */
export const BareGatewayOptions = z.object({
  step: z.enum(BARE_STEPS),
  port: z.int(),
  quotaAddress: z.string(),
  natsUrl: z.string(),
});
export type BareGatewayOptions = z.infer<typeof BareGatewayOptions>;
export type BareStep = BareGatewayOptions['step'];
