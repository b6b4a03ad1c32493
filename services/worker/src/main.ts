import { runService } from '@sluice/service';
import { readWorkerSettings } from './config.ts';
import { start } from './start.ts';

await runService({
  name: 'worker',
  settings: () => readWorkerSettings(process.env),
  start,
});
