import type { CommandEntry } from '../command.ts';

/** In the order in which help lists them; each is loaded when it is asked for. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'run a whole Sluice on this machine until Ctrl-C',
    load: async () => (await import('./up.ts')).up,
  },
  {
    name: 'status',
    summary: 'show the processes of a running stack',
    load: async () => (await import('./status.ts')).status,
  },
];
