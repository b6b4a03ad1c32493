import { createLogger } from '@sluice/telemetry';

/** Says what it is told to, and how: `info`, `warn`, or `exit` after an info. */
const logger = createLogger({ service: 'logging program', level: 'info' });
process.on('message', (order) => {
  if (order === 'warn') logger.warn('a warning');
  else logger.info('a line');
  if (order === 'exit') process.exit(0);
  process.send?.('said');
});
process.send?.('ready');
