import type { ReactElement } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { formatDuration } from '../format/numbers.ts';
import { texts } from '../texts.ts';

type Freshness = RouteReply<'getUsage'>['freshness'];

/** Says that the numbers lag behind by more than some seconds, or may do so. */
export function FreshnessNote({
  freshness,
}: {
  readonly freshness: Freshness;
}): ReactElement | null {
  const lag = freshness.lag_seconds;
  if (lag === null) return <p className="notice-line">{texts.usage.mayBeBehind}</p>;
  if (lag < 10) return null;
  return <p className="notice-line">{texts.usage.behind(formatDuration(lag * 1_000))}</p>;
}
