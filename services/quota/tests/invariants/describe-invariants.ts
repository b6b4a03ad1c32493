import type { ClockedLimitStore } from '../support/clocked-limit-store.ts';
import { describeAdmitted } from './admitted.ts';
import { describeClock } from './clock.ts';
import { describeKeys } from './keys.ts';
import { describeModel } from './model.ts';
import { describeRefusals } from './refusals.ts';
import { describeRevisions } from './revisions.ts';
import { describeWindows } from './windows.ts';

/** All invariants of the limiter that depend on time, for the given store. */
export function describeInvariants(openStore: () => ClockedLimitStore): void {
  describeModel(openStore);
  describeAdmitted(openStore);
  describeRefusals(openStore);
  describeWindows(openStore);
  describeClock(openStore);
  describeRevisions(openStore);
  describeKeys(openStore);
}
