import { ANY_CREDENTIAL, COMPLETIONS, targetOf, type StartContestant } from './contestant.ts';

/** The runtime itself: what everything else is measured against. */
export const startDirect: StartContestant = async ({ simulator }) => ({
  name: 'direct',
  description: 'the simulated runtime itself, in one process',
  target: targetOf(simulator.url, COMPLETIONS, { authorization: ANY_CREDENTIAL }),
  processes: {},
  nodeProcesses: [],
  [Symbol.asyncDispose]: () => Promise.resolve(),
});
