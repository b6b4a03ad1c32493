import { runService } from '@sluice/service';
import { readGatewaySettings } from './config.ts';
import { start } from './start.ts';

await runService({
  name: 'gateway',
  settings: () => readGatewaySettings(process.env),
  start,
});
