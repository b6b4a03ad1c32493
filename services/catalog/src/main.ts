import { runService } from '@sluice/service';
import { readCatalogSettings } from './config.ts';
import { start } from './start.ts';

await runService({
  name: 'catalog',
  settings: () => readCatalogSettings(process.env),
  start,
});
