export { readRunningStack } from './stack/running-stack.ts';
export type { RunningStack } from './stack/running-stack.ts';
