// All numbers are formatted in the language of the browser.
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const formatCount = (count: number): string => whole.format(count);
export const formatCompact = (count: number): string =>
  Math.abs(count) < 10_000 ? oneDigit.format(count) : compact.format(count);
export const formatShare = (share: number): string => percent.format(share);

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export function formatDuration(milliseconds: number): string {
  if (milliseconds < second) return `${whole.format(milliseconds)} ms`;
  if (milliseconds < minute) return `${oneDigit.format(milliseconds / second)} s`;
  if (milliseconds < hour) return pair(milliseconds, minute, 'min', second, 's');
  if (milliseconds < 2 * day) return pair(milliseconds, hour, 'h', minute, 'min');
  return pair(milliseconds, day, 'd', hour, 'h');
}

function pair(
  value: number,
  large: number,
  name: string,
  small: number,
  smallName: string,
): string {
  const rest = Math.floor((value % large) / small);
  const first = `${whole.format(Math.floor(value / large))} ${name}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** Formats a decimal number with its currency, which the browser may not know. Null if the deployment has none. */
export function formatMoney(amount: string, currency: string | null): string {
  const value = Number(amount);
  const digits = value !== 0 && Math.abs(value) < 0.01 ? 6 : 2;
  if (currency !== null && /^[A-Z]{3}$/.test(currency)) {
    return new Intl.NumberFormat(undefined, {
      style: 'currency',
      currency,
      maximumFractionDigits: digits,
    }).format(value);
  }
  const number = new Intl.NumberFormat(undefined, {
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(value);
  return currency === null ? number : `${number} ${currency}`;
}
