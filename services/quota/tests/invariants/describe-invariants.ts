import type { ClockedLedger } from '../support/clocked-ledger.ts';
import { describeAdmitted } from './admitted.ts';
import { describeClock } from './clock.ts';
import { describeKeys } from './keys.ts';
import { describeModel } from './model.ts';
import { describeRefusals } from './refusals.ts';
import { describeRevisions } from './revisions.ts';
import { describeWindows } from './windows.ts';

/** Every invariant of the limiter that depends on time, on whatever store is given. */
export function describeInvariants(openLedger: () => ClockedLedger): void {
  describeModel(openLedger);
  describeAdmitted(openLedger);
  describeRefusals(openLedger);
  describeWindows(openLedger);
  describeClock(openLedger);
  describeRevisions(openLedger);
  describeKeys(openLedger);
}
