import { inject } from 'vitest';
import type { BackendKind } from './backend.ts';

/** What the global setup started for every file of the run. */
export interface SharedServers {
  readonly backend: BackendKind;
  readonly redisUrl: string;
  readonly natsUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    sluiceServers?: SharedServers;
  }
}

/** Undefined in a run without the global setup. */
export function sharedServers(): SharedServers | undefined {
  return inject('sluiceServers');
}
