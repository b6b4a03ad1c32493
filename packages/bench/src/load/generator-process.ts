import { serveDriver } from '../driver/driver-process.ts';
import type { LoadOrder, LoadState } from './load-order.ts';
import { RunningLoad } from './running-load.ts';

serveDriver<LoadOrder, LoadState>((order) => new RunningLoad(order));
