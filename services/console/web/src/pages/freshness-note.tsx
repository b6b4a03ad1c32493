import type { ReactElement } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { formatDuration } from '../format/numbers.ts';
import { texts } from '../texts.ts';

type Freshness = RouteReply<'getUsage'>['freshness'];

const shownFromSeconds = 10;

/** Says that the numbers lag behind, or that this is not known. A lag of a few seconds is not mentioned. */
export function FreshnessNote({
  freshness,
}: {
  readonly freshness: Freshness;
}): ReactElement | null {
  const lag = freshness.lag_seconds;
  if (lag === null) return <p className="notice-line">{texts.usage.mayBeBehind}</p>;
  if (lag < shownFromSeconds) return null;
  return <p className="notice-line">{texts.usage.behind(formatDuration(lag * 1_000))}</p>;
}
