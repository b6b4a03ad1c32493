/** Digits only, so that a number can be copied into a command or a spreadsheet. */
export function numberText(value: number): string {
  return String(value);
}

export function limitText(limit: number | null): string {
  return limit === null ? 'unlimited' : numberText(limit);
}

/**
 * The latest date of JavaScript: https://tc39.es/ecma262/#sec-time-values-and-time-range. The expiry of a key may be
 * later.
 */
const LAST_DATE_MS = 8_640_000_000_000_000;

/** A date and time in UTC, without seconds. */
export function dateText(milliseconds: number): string {
  const date = new Date(Math.min(milliseconds, LAST_DATE_MS));
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d{3}Z$/, '');
}
