import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { texts } from '../texts.ts';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The heading of a page. It gets the focus when the page is opened, so that screen readers begin there. */
export function Page({ title, lead, actions, children }: PageProps): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <>
      <header className="page-header">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead === undefined ? null : <p className="lead">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface CardProps {
  readonly title?: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, lead, actions, children }: CardProps): ReactElement {
  return (
    <section className="card" aria-label={title}>
      {title === undefined ? null : (
        <header className="card-header">
          <div>
            <h2>{title}</h2>
            {lead === undefined ? null : <p>{lead}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

export function Filters({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <div className="filters" role="search" aria-label={texts.filter}>
      {children}
    </div>
  );
}
