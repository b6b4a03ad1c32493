import { describeEveryFault } from './every-process.ts';

describeEveryFault(['worker', 'gateway', 'quota', 'catalog']);
