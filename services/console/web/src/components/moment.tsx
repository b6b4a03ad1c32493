import type { ReactElement } from 'react';
import { formatExactMoment, formatMoment, formatRelative, formatUtc } from '../format/moments.ts';
import { useNow } from './use-now.ts';

interface MomentProps {
  readonly at: number;
  readonly exact?: boolean;
}

/** In the reader's zone; UTC is shown on hover. */
export function Moment({ at, exact = false }: MomentProps): ReactElement {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatUtc(at)}>
      {exact ? formatExactMoment(at) : formatMoment(at)}
    </time>
  );
}

export function RelativeMoment({ at }: { readonly at: number }): ReactElement {
  const now = useNow(15_000);
  return (
    <time dateTime={new Date(at).toISOString()} title={`${formatMoment(at)} · ${formatUtc(at)}`}>
      {formatRelative(at, Math.max(now, at))}
    </time>
  );
}

/** A moment that lies ahead. */
export function FutureMoment({ at }: { readonly at: number }): ReactElement {
  const now = useNow(15_000);
  return (
    <time dateTime={new Date(at).toISOString()} title={`${formatMoment(at)} · ${formatUtc(at)}`}>
      {formatRelative(at, now)}
    </time>
  );
}
