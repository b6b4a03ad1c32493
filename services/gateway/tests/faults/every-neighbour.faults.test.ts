import { describeEveryFault } from './every-process.ts';

/** The processes that the services need and that are not services. */
describeEveryFault(['runtime', 'redis', 'nats']);
