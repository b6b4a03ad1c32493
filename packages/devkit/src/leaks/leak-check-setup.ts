import { useLeakCheck } from './leak-check.ts';

/** A setup file of vitest, which applies the leak check to every file of a suite. */
useLeakCheck({ timeoutMs: 10_000 });
