export { atMost } from './at-most.ts';
export { Deadline } from './deadline.ts';
