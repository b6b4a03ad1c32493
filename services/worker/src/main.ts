import { runService } from '@sluice/host';
import { readWorkerSettings } from './config.ts';
import { start } from './start.ts';

await runService({
  name: 'worker',
  settings: () => readWorkerSettings(process.env),
  start,
});
