import { inject } from 'vitest';
import type { BackendKind } from './backend.ts';

/** The servers that the global setup has started for all files of the run. */
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
