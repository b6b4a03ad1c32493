import { runService } from '@sluice/service';
import { readUsageSettings } from './config.ts';
import { start } from './start.ts';

await runService({ name: 'usage', settings: () => readUsageSettings(process.env), start });
