import { UsageError } from './command.ts';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DISTANCE = /^(?<count>\d{1,6})(?<unit>[mhd])$/;
/** The formats that are accepted. `Date.parse` accepts more, and reads some of them in the local time zone. */
const DATE =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?<zone>Z|[+-]\d{2}:\d{2})?)?$/;

/** Reads a time as Unix milliseconds. `90d` means 90 days from now. A date is UTC unless it names a time zone. */
export function readMoment(text: string, nowMs = Date.now()): number {
  return readFrom(text, nowMs, 1);
}

/** Reads a time in the past as Unix milliseconds. `24h` means 24 hours ago. */
export function readPastMoment(text: string, nowMs = Date.now()): number {
  const moment = readFrom(text, nowMs, -1);
  if (moment <= nowMs) return moment;
  throw new UsageError(
    `'${text}' is in the future: write a time that has passed (a date begins at midnight, UTC)`,
  );
}

function readFrom(text: string, nowMs: number, direction: 1 | -1): number {
  const { count, unit } = DISTANCE.exec(text)?.groups ?? {};
  if (count !== undefined && (unit === 'm' || unit === 'h' || unit === 'd')) {
    return nowMs + direction * Number(count) * UNITS[unit];
  }
  const { day = '', time = '00:00', zone = 'Z' } = DATE.exec(text)?.groups ?? {};
  const date = isInCalendar(day) ? Date.parse(`${day}T${time}${zone}`) : Number.NaN;
  if (Number.isNaN(date)) {
    throw new UsageError(
      `'${text}' is not a time: write a date such as 2027-01-31 or '2027-01-31 18:00' (UTC), or 90d, 12h, 30m`,
    );
  }
  return date;
}

/** `Date.parse` turns 31 February into 3 March, so the parsed day is compared with the text. */
function isInCalendar(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
