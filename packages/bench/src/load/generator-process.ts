import { serveDriver } from '../driver/driver-process.ts';
import type { LoadOptions, LoadState } from './load-options.ts';
import { RunningLoad } from './running-load.ts';

serveDriver<LoadOptions, LoadState>((options) => new RunningLoad(options));
