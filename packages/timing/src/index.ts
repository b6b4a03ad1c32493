export { atMost } from './at-most.ts';
export { Deadline } from './deadline.ts';
export { ThreadDeadline } from './thread-deadline.ts';
