import { useCallback, useEffect, useRef } from 'react';
import { call } from '../api/client.ts';

/** How long before its end a credential is renewed, so that no request starts with one that is about to expire. */
const renewBeforeMs = 2 * 60_000;
const retryAfterMs = 5_000;
/** A credential that expires earlier than this is not used for a new request. */
const minRemainingMs = 5_000;

interface Credential {
  readonly token: string;
  readonly expires_at_ms: number;
}

/**
 * Keeps the playground credential of a project in the memory of the page, and renews it for as long as the page is
 * open. The returned function resolves with the token of a valid credential.
 */
export function useCredential(organization: string, project: string): () => Promise<string> {
  const kept = useRef<{ key: string; credential: Promise<Credential> }>(undefined);
  const key = `${organization} ${project}`;

  const renew = useCallback((): Promise<Credential> => {
    const credential = call('issuePlaygroundCredential', {
      params: { organization },
      body: { project },
    });
    kept.current = { key, credential };
    credential.catch(() => {
      // The next use asks again, and shows the error.
      if (kept.current?.credential === credential) kept.current = undefined;
    });
    return credential;
  }, [organization, project, key]);

  useEffect(() => {
    if (project === '') return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let open = true;
    const keep = async (): Promise<void> => {
      const wait = await renew().then(
        ({ expires_at_ms: end }) => Math.max(end - Date.now() - renewBeforeMs, retryAfterMs),
        () => retryAfterMs,
      );
      if (open) timer = setTimeout(() => void keep(), wait);
    };
    void keep();
    return () => {
      open = false;
      clearTimeout(timer);
      kept.current = undefined;
    };
  }, [project, renew]);

  return useCallback(async () => {
    const known = kept.current;
    if (known?.key === key) {
      const credential = await known.credential.catch(() => undefined);
      if (credential !== undefined && credential.expires_at_ms - Date.now() > minRemainingMs) {
        return credential.token;
      }
    }
    return (await renew()).token;
  }, [key, renew]);
}
