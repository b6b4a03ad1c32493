import { describeEveryFault } from './every-process.ts';

/** What the services need and do not start themselves. */
describeEveryFault(['runtime', 'redis', 'nats']);
