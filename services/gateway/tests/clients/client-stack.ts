import { useLeakCheck, useStack } from '@sluice/devkit';

useLeakCheck();

/** One stack for the tests of every client library. */
export const stack = useStack({ environment: { SIMULATOR_TTFT_MS: '0', SIMULATOR_ITL_MS: '1' } });
