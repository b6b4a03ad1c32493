import type { ReactElement, ReactNode } from 'react';
import { Logo } from '../components/icons.tsx';
import { texts } from '../texts.ts';

/** The frame of the pages before the console itself: one card in the middle. */
export function Entry({
  title,
  children,
  below,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly below?: ReactNode;
}): ReactElement {
  return (
    <main className="entry">
      <p className="entry-brand">
        <Logo />
        {texts.product}
      </p>
      <div className="entry-card">
        <h1>{title}</h1>
        {children}
      </div>
      {below === undefined ? null : <div className="entry-below">{below}</div>}
    </main>
  );
}
