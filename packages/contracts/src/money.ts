import * as z from 'zod';

/**
 * Amounts of money are decimal texts on the wire and in documents, and integers in units of 10⁻¹² of the currency in
 * calculations, so that nothing is rounded. A binary fraction could not hold 0.1.
 */
const UNIT_DIGITS = 12;
const UNITS = 10n ** BigInt(UNIT_DIGITS);

/** A price per million tokens. With six digits, the price of one token is a whole number of units. */
export const Price = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/,
    "must be a decimal number in quotes such as '0.15', with at most 9 digits before the point and 6 after it",
  );

/** What may be spent in a month. */
export const Amount = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,11})(?:\.\d{1,6})?$/,
    "must be a decimal number in quotes such as '250', with at most 12 digits before the point and 6 after it",
  );

/** What was spent. */
export const ExactAmount = z.string().regex(/^\d{1,30}(?:\.\d{1,12})?$/);

/** The units of a decimal number: 1,500,000,000,000 for `1.5`. */
export function unitsOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole) * UNITS + BigInt(fraction.padEnd(UNIT_DIGITS, '0'));
}

/** The shortest decimal number of these units. */
export function decimalOf(units: bigint): string {
  const fraction = String(units % UNITS)
    .padStart(UNIT_DIGITS, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(units / UNITS) : `${units / UNITS}.${fraction}`;
}

/** The decimal number with two digits after the point, rounded half up. Only for people to read. */
export function roundedAmount(decimal: string): string {
  const hundredth = UNITS / 100n;
  const hundredths = (unitsOf(decimal) + hundredth / 2n) / hundredth;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}
