import { writeFile } from 'node:fs/promises';
import { renderDashboard } from './render-dashboard.ts';
import { SLUICE_DASHBOARD } from './sluice-dashboard.ts';

/** Writes the dashboard: `npm run generate`. */
await writeFile(
  new URL('../sluice.json', import.meta.url),
  `${JSON.stringify(renderDashboard(SLUICE_DASHBOARD), undefined, 2)}\n`,
);
