import type { ReactElement } from 'react';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { useNotice } from '../components/notices.tsx';
import { describeError } from '../components/states.tsx';
import { texts } from '../texts.ts';
import { useLeaveSession } from './leave-session.ts';

export function SignOutButton(): ReactElement {
  const signOut = useChange('signOut', []);
  const leaveSession = useLeaveSession();
  const notice = useNotice();
  const leave = async (): Promise<void> => {
    try {
      const { sign_out_url: providerUrl } = await signOut.mutateAsync({});
      await leaveSession(providerUrl);
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
