export { atMost } from './at-most.ts';
export { checkRegularly } from './check-regularly.ts';
export { Deadline } from './deadline.ts';
