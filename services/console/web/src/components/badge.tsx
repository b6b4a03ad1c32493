import type { ReactElement, ReactNode } from 'react';

export type Tone = 'good' | 'warning' | 'bad' | 'neutral' | 'accent';

export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}): ReactElement {
  return <span className={`badge ${tone}`}>{children}</span>;
}
