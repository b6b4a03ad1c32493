import type { ReactElement } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useRead } from '../api/queries.ts';
import { Meter } from '../components/meter.tsx';
import { Page } from '../components/page.tsx';
import { Reading } from '../components/states.tsx';
import { formatCount, formatDuration, formatShare } from '../format/numbers.ts';
import { useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';

const words = texts.limits;
type Limits = RouteReply<'getLimits'>['limits'];

const REFRESH_MS = 1_000;

/** The limits that have a card, in this order. */
const shownLimits = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const satisfies readonly (keyof Limits)[];

export function LimitsPage(): ReactElement {
  const { id: organization } = useOrganization();
  const limits = useRead('getLimits', { params: { organization } }, { every: REFRESH_MS });
  return (
    <Page title={words.title} lead={words.lead}>
      <Reading of={limits}>
        {(read) => (
          <div className="limit-grid">
            {shownLimits.map((name) => (
              <LimitCard key={name} name={words.names[name]} state={read.limits[name]} />
            ))}
          </div>
        )}
      </Reading>
      <p className="muted">{words.note}</p>
    </Page>
  );
}

interface LimitCardProps {
  readonly name: string;
  readonly state: Limits[keyof Limits];
}

function LimitCard({ name, state }: LimitCardProps): ReactElement {
  if (state === null) {
    return (
      <section className="card limit" aria-label={name}>
        <h2>{name}</h2>
        <p className="figure">{words.unlimited}</p>
      </section>
    );
  }
  const { limit, remaining, reset_ms: resetMs } = state;
  const left = limit === 0 ? 0 : Math.max(0, Math.min(1, remaining / limit));
  return (
    <section className="card limit" aria-label={name}>
      <h2>{name}</h2>
      <p className="figure">
        {formatCount(remaining)} <span className="of">{words.of(formatCount(limit))}</span>
      </p>
      <Meter share={left} tone={toneOf(left)} label={words.left(name)} />
      <p className="limit-facts">
        <span>{words.leftShare(formatShare(left))}</span>
        <span>{resetMs === 0 ? words.full : words.fullIn(formatDuration(resetMs))}</span>
      </p>
    </section>
  );
}

function toneOf(share: number): 'good' | 'warning' | 'bad' {
  if (share < 0.1) return 'bad';
  return share < 0.3 ? 'warning' : 'good';
}
