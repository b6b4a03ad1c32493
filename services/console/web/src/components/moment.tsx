import type { ReactElement } from 'react';
import { formatExactMoment, formatMoment, formatRelative, formatUtc } from '../format/moments.ts';
import { useNow } from './use-now.ts';

interface MomentProps {
  readonly at: number;
  readonly exact?: boolean;
}

/** A time in the time zone of the browser. Its tooltip has the time in UTC. */
export function Moment({ at, exact = false }: MomentProps): ReactElement {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatUtc(at)}>
      {exact ? formatExactMoment(at) : formatMoment(at)}
    </time>
  );
}

/** A time in the past, as in "5 minutes ago". */
export function RelativeMoment({ at }: { readonly at: number }): ReactElement {
  // It may be behind by 15 seconds, and must not put the time into the future.
  const now = useNow(15_000);
  return (
    <time dateTime={new Date(at).toISOString()} title={`${formatMoment(at)} · ${formatUtc(at)}`}>
      {formatRelative(at, Math.max(now, at))}
    </time>
  );
}

/** A time in the future, as in "in 5 minutes". */
export function FutureMoment({ at }: { readonly at: number }): ReactElement {
  const now = useNow(15_000);
  return (
    <time dateTime={new Date(at).toISOString()} title={`${formatMoment(at)} · ${formatUtc(at)}`}>
      {formatRelative(at, now)}
    </time>
  );
}
