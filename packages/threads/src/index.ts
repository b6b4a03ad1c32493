export { TurnQueue } from './turn-queue.ts';
