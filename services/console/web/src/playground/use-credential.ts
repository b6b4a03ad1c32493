import { useCallback, useEffect, useRef } from 'react';
import { call } from '../api/client.ts';

/** Renewed so long before it expires that a request never starts with one about to end. */
const renewBefore = 2 * 60_000;
const retryAfter = 5_000;

interface Credential {
  readonly token: string;
  readonly expires_at_ms: number;
}

/**
 * The playground credential of a project. It is kept in the memory of the page, and renewed for as long as the page is
 * open. Calling the result gives the present one.
 */
export function useCredential(organization: string, project: string): () => Promise<string> {
  const current = useRef<{ key: string; credential: Promise<Credential> }>(undefined);
  const key = `${organization} ${project}`;

  const renew = useCallback((): Promise<Credential> => {
    const credential = call('issuePlaygroundCredential', {
      params: { organization },
      body: { project },
    });
    current.current = { key, credential };
    credential.catch(() => {
      // The next use asks again, and shows the error.
      if (current.current?.credential === credential) current.current = undefined;
    });
    return credential;
  }, [organization, project, key]);

  useEffect(() => {
    if (project === '') return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let open = true;
    const keep = async (): Promise<void> => {
      const wait = await renew().then(
        ({ expires_at_ms: end }) => Math.max(end - Date.now() - renewBefore, retryAfter),
        () => retryAfter,
      );
      if (open) timer = setTimeout(() => void keep(), wait);
    };
    void keep();
    return () => {
      open = false;
      clearTimeout(timer);
      current.current = undefined;
    };
  }, [project, renew]);

  return useCallback(async () => {
    const known = current.current;
    if (known?.key === key) {
      const credential = await known.credential.catch(() => undefined);
      if (credential !== undefined && credential.expires_at_ms - Date.now() > 5_000) {
        return credential.token;
      }
    }
    return (await renew()).token;
  }, [key, renew]);
}
