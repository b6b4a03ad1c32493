const dateAndTime = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
});
const withSeconds = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** The date and time in the time zone of the browser. */
export const formatMoment = (at: number): string => dateAndTime.format(at);
export const formatExactMoment = (at: number): string => withSeconds.format(at);

export function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** "5 minutes ago", or the date itself if there are more than thirty days between the two times. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) > 30 * 86_400_000) return formatMoment(at);
  const [unit, unitMs] =
    steps.find(([, stepMs]) => Math.abs(distance) >= stepMs) ?? (['second', 1_000] as const);
  return relative.format(Math.trunc(distance / unitMs), unit);
}

/** A month of UTC, by its first moment. */
export function formatMonth(at: number): string {
  const style = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(undefined, style).format(at);
}

const groupStyles = {
  month: { month: 'short', year: 'numeric' },
  day: { month: 'short', day: 'numeric' },
  hour: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

/** The groups of usage are hours, days and months of UTC, so their names are written in UTC. */
export function formatGroupStart(name: string, unit: keyof typeof groupStyles): string {
  const at = Date.parse(name);
  if (Number.isNaN(at)) return name;
  return new Intl.DateTimeFormat(undefined, { ...groupStyles[unit], timeZone: 'UTC' }).format(at);
}
