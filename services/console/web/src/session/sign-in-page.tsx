import type { ReactElement } from 'react';
import { texts } from '../texts.ts';
import { Entry } from './entry.tsx';
import type { SignedOut } from './session-context.ts';

const words = texts.signIn;

export function SignInPage({ session }: { readonly session: SignedOut }): ReactElement {
  const { pathname, search, hash } = window.location;
  const failed = pathname === '/signed-out' ? new URLSearchParams(search).get('error') : null;
  const start = new URLSearchParams({
    return_to: pathname === '/signed-out' ? '/' : `${pathname}${search}${hash}`,
  });
  const failures: Readonly<Record<string, string>> = words.failures;
  return (
    <Entry title={words.title}>
      <p className="muted">{words.lead}</p>
      {failed === null ? null : (
        <p className="notice-line" role="alert">
          {failures[failed] ?? words.failed}
        </p>
      )}
      {session.sign_in.provider ? (
        <a className="button primary large" href={`/sign-in?${start.toString()}`}>
          {words.signIn}
        </a>
      ) : null}
      {session.sign_in.link ? (
        <div className="entry-note">
          <p>{session.sign_in.provider ? words.orLink : words.byLink}</p>
          <code>sluice sign-in-link ACCOUNT</code>
        </div>
      ) : null}
    </Entry>
  );
}
