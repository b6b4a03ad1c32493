export { ThreadDeadline } from './thread-deadline.ts';
export { TurnQueue } from './turn-queue.ts';
