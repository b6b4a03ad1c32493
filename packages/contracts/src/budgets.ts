import * as z from 'zod';
import { Amount, ExactAmount, unitsOf } from './money.ts';

const MAX_THRESHOLDS = 10;
const MAX_PERCENT = 1_000;
const MAX_URL_CHARACTERS = 1_000;
const MAX_WEBHOOKS = 5;
const MAX_SECRET_VERSION = 1_000_000;

/** What an organization may spend in a month of UTC. */
export const Budget = z.strictObject({
  monthly: Amount.nullable().describe(
    'In the currency of the usage service, per month of UTC. null is unlimited.',
  ),
  thresholds: z
    .array(z.int().min(1).max(MAX_PERCENT))
    .max(MAX_THRESHOLDS)
    .refine((percents) => new Set(percents).size === percents.length, 'must not repeat a number')
    .default([50, 80, 100])
    .describe('Percent of the budget. Each is reported to the webhooks once a month.'),
  hard: z
    .boolean()
    .default(true)
    .describe('Whether chat completions are refused when the budget is spent.'),
});
export type Budget = z.infer<typeof Budget>;

const Webhook = z.strictObject({
  url: z
    .string()
    .max(MAX_URL_CHARACTERS)
    .refine(isWebhookUrl, 'must be an http or https address without a password or a fragment')
    .describe('Where events about the budget are sent, signed as Standard Webhooks describes.'),
  secret_version: z
    .int()
    .min(1)
    .max(MAX_SECRET_VERSION)
    .default(1)
    .describe('Raise it to replace the secret. Events are then signed with the old one as well.'),
});

export const Webhooks = z
  .array(Webhook)
  .max(MAX_WEBHOOKS)
  .refine(
    (webhooks) => new Set(webhooks.map(({ url }) => url)).size === webhooks.length,
    'must not repeat a url',
  );

const BudgetMonth = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/);

/** The decision that an organization has spent its budget, beside the `billing` that operators set. */
export const BudgetStop = z.strictObject({
  /** The id of the organization. */
  id: z.string().min(1),
  month: BudgetMonth,
  /** The budget of the decision. */
  monthly: Amount,
  /** What was spent when the decision was made. */
  spent: ExactAmount,
});
export type BudgetStop = z.infer<typeof BudgetStop>;

/** The month of UTC, such as `2027-01`. */
export function monthOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7);
}

/** What a hard budget allows in a month, in units of money. Undefined if it allows everything. */
export function hardLimitOf(budget: Budget | undefined): bigint | undefined {
  if (budget?.hard !== true || budget.monthly === null) return undefined;
  return unitsOf(budget.monthly);
}

function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    !text.includes('#')
  );
}
