export { afterTurns } from './after-turns.ts';
export { atMost } from './at-most.ts';
export { checkRegularly } from './check-regularly.ts';
export { Deadline } from './deadline.ts';
export { DeadlineQueue, type RunningDeadline } from './deadline-queue.ts';
export { TurnBatcher } from './turn-batcher.ts';
