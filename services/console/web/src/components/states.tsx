import type { ReactElement, ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';

/** Grey rows in the place of data that is loading. The text is for screen readers. */
export function Loading({ rows = 4 }: { readonly rows?: number }): ReactElement {
  return (
    <div className="loading" aria-busy="true">
      <span className="for-screen-readers">{texts.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className="loading-row" />
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}

export function Empty({ icon, title, children }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface FailureProps {
  readonly error: unknown;
  readonly retry?: () => unknown;
}

/** Says why something could not be read or done, and what the person can do about it. */
export function Failure({ error, retry }: FailureProps): ReactElement {
  const { message, help, code } = describeError(error);
  return (
    <div className="failure" role="alert">
      <Icon name={code === 'unreachable' ? 'offline' : 'warning'} />
      <div>
        <p className="failure-message">{message}</p>
        {help === undefined ? null : <p>{help}</p>}
        <p className="failure-code">
          <code>{code}</code>
        </p>
      </div>
      {retry === undefined ? null : <Button onClick={() => void retry()}>{texts.tryAgain}</Button>}
    </div>
  );
}

export function describeError(error: unknown): {
  message: string;
  help?: string | undefined;
  code: string;
} {
  if (error instanceof ApiError) return error;
  return { message: texts.errors.page, code: 'page_error' };
}

interface ReadState<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/**
 * Shows data that is read from the server: a placeholder while it is loading, and the error if this fails. If the data
 * could not be read again later, the error is shown above the old data.
 */
export function Reading<Data>({
  of,
  rows,
  children,
}: {
  readonly of: ReadState<Data>;
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}): ReactElement {
  const failure =
    of.error === null ? null : <Failure error={of.error} retry={() => of.refetch()} />;
  if (of.data === undefined) {
    return failure ?? <Loading rows={rows ?? 4} />;
  }
  return (
    <>
      {failure}
      {children(of.data)}
    </>
  );
}
