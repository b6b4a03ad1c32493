import { useLeakCheck } from './leak-check.ts';

/** For suites in which no file may forget it. */
useLeakCheck({ timeoutMs: 10_000 });
