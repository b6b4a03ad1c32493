export { readRunningStack } from './stack/running-stack.ts';
export type { RunningProcess, RunningStack } from './stack/running-stack.ts';
