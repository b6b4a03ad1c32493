import { runService } from '@sluice/service';
import { readQuotaSettings } from './config.ts';
import { start } from './start.ts';

await runService({ name: 'quota', settings: () => readQuotaSettings(process.env), start });
