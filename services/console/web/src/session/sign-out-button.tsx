import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { useNotice } from '../components/notices.tsx';
import { describeError } from '../components/states.tsx';
import { texts } from '../texts.ts';

export function SignOutButton(): ReactElement {
  const signOut = useChange('signOut', []);
  const client = useQueryClient();
  const notice = useNotice();
  const leave = async (): Promise<void> => {
    try {
      const { sign_out_url: providerPage } = await signOut.mutateAsync({});
      if (providerPage !== null) {
        window.location.assign(providerPage);
        return;
      }
      // Removes from memory everything that was read in this session.
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getSession' });
      window.history.replaceState(null, '', '/');
      await client.invalidateQueries({ queryKey: ['getSession'] });
    } catch (error) {
      notice(describeError(error).message);
    }
  };
  return (
    <Button look="quiet" busy={signOut.isPending} onClick={() => void leave()}>
      {texts.signOut}
    </Button>
  );
}
