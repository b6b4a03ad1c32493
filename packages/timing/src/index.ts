export { Deadline } from './deadline.ts';
