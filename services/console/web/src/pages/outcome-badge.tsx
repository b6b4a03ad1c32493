import type { ReactElement } from 'react';
import { Badge, type Tone } from '../components/badge.tsx';
import { texts } from '../texts.ts';

const tones: Readonly<Record<string, Tone>> = {
  completed: 'good',
  cancelled: 'neutral',
  failed: 'bad',
  refused: 'warning',
  unfinished: 'accent',
};

const toneOfEnd: Readonly<Record<string, Tone>> = {
  finished: 'good',
  refused: 'warning',
  handed_back: 'warning',
  abandoned: 'neutral',
  left: 'neutral',
};

/** Says how an offer to a worker, or an attempt at a worker, has ended. */
export function EndBadge({ ended }: { readonly ended: string }): ReactElement {
  const names: Readonly<Record<string, string>> = texts.request.ends;
  return <Badge tone={toneOfEnd[ended] ?? 'bad'}>{names[ended] ?? ended}</Badge>;
}

export function OutcomeBadge({ outcome }: { readonly outcome: string }): ReactElement {
  const names: Readonly<Record<string, string>> = texts.requests.outcomes;
  return <Badge tone={tones[outcome] ?? 'neutral'}>{names[outcome] ?? outcome}</Badge>;
}
