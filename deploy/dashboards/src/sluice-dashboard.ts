import type { Dashboard } from './render-dashboard.ts';
import { webConsole } from './rows/console.ts';
import { attempts, fleet } from './rows/fleet.ts';
import { limits } from './rows/limits.ts';
import { records } from './rows/records.ts';
import { targets } from './rows/targets.ts';
import { durations, traffic } from './rows/traffic.ts';

/** The rows begin with what clients see, and end with the catalog, the ledger and the console. */
export const SLUICE_DASHBOARD: Dashboard = {
  uid: 'sluice',
  title: 'Sluice',
  description:
    'The whole of Sluice, from what clients see to the stores that it depends on. Each panel says what to do if it looks bad; docs/operations says more.',
  rows: [traffic, durations, targets, limits, fleet, attempts, records, webConsole],
};
