import { runService } from '@sluice/service';
import { readConsoleSettings } from './config.ts';
import { start } from './start.ts';

await runService({ name: 'console', settings: () => readConsoleSettings(process.env), start });
