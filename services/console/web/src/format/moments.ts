/** Moments in the reader's zone; the title of the element has the same in UTC. */

const dateAndTime = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
});
const withSeconds = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

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

/** "5 minutes ago", or the date itself if it is more than thirty days away. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) > 30 * 86_400_000) return formatMoment(at);
  const [unit, length] =
    steps.find(([, length]) => Math.abs(distance) >= length) ?? steps[steps.length - 1] ?? steps[3];
  return relative.format(Math.trunc(distance / length), unit);
}

/** The groups of usage are hours, days and months of UTC, so their names are written in UTC. */
export function formatGroupStart(name: string, unit: 'hour' | 'day' | 'month'): string {
  const at = Date.parse(name);
  if (Number.isNaN(at)) return name;
  const style: Intl.DateTimeFormatOptions =
    unit === 'month'
      ? { month: 'short', year: 'numeric' }
      : unit === 'day'
        ? { month: 'short', day: 'numeric' }
        : { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' };
  return new Intl.DateTimeFormat(undefined, { ...style, timeZone: 'UTC' }).format(at);
}
