import type { Dashboard } from './render-dashboard.ts';
import { attempts, fleet } from './rows/fleet.ts';
import { limits } from './rows/limits.ts';
import { records } from './rows/records.ts';
import { durations, traffic } from './rows/traffic.ts';

/** From what clients see down to what it rests on. */
export const SLUICE_DASHBOARD: Dashboard = {
  uid: 'sluice',
  title: 'Sluice',
  description:
    'The whole of Sluice, from what clients see down to what it rests on. Each panel says what to do when it looks bad; docs/operations.md says more.',
  rows: [traffic, durations, limits, fleet, attempts, records],
};
