export { PauseWitness } from './pause-witness.ts';
export { Pauses } from './pauses.ts';
