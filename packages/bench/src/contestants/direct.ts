import { ANY_CREDENTIAL, COMPLETIONS, targetOf, type StartContestant } from './contestant.ts';

/** The runtime itself, without a gateway: the reference for the other contestants. */
export const startDirect: StartContestant = async ({ simulator }) => ({
  name: 'direct',
  description: 'the simulated runtime itself, in one process',
  target: targetOf(simulator.url, COMPLETIONS, { authorization: ANY_CREDENTIAL }),
  processes: {},
  nodeProcesses: [],
  [Symbol.asyncDispose]: () => Promise.resolve(),
});
