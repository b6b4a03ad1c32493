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

export function OutcomeBadge({ outcome }: { readonly outcome: string }): ReactElement {
  const names: Readonly<Record<string, string>> = texts.requests.outcomes;
  return <Badge tone={tones[outcome] ?? 'neutral'}>{names[outcome] ?? outcome}</Badge>;
}
