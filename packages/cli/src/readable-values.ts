/** With a space between thousands, which no language takes for the point of a fraction. */
export function numberText(value: number): string {
  return value.toLocaleString('en-US').replaceAll(',', ' ');
}

export function limitText(limit: number | null): string {
  return limit === null ? 'unlimited' : numberText(limit);
}

/** JavaScript has no later date; a key that is never to expire may have been given a later end. */
const LAST_DATE_MS = 8_640_000_000_000_000;

/** In UTC, to the minute. */
export function dateText(milliseconds: number): string {
  const date = new Date(Math.min(milliseconds, LAST_DATE_MS));
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d{3}Z$/, '');
}
