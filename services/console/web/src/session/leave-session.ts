import { useQueryClient } from '@tanstack/react-query';

/** What a page does after the session has ended: goes to the provider, or forgets what was read in the session. */
export function useLeaveSession(): (providerUrl: string | null) => Promise<void> {
  const client = useQueryClient();
  return async (providerUrl) => {
    if (providerUrl !== null) {
      window.location.assign(providerUrl);
      return;
    }
    // Nothing that was read in this session stays in memory.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getSession' });
    window.history.replaceState(null, '', '/');
    await client.invalidateQueries({ queryKey: ['getSession'] });
  };
}
