import { createLogger } from '@sluice/telemetry';

/** Says what it is told to, and how: `info`, `warn`, `exit` after an info, or `killed` right after a warning. */
const logger = createLogger({ service: 'logging program', level: 'info' });
process.on('message', (order) => {
  if (order === 'warn' || order === 'killed') logger.warn('a warning');
  else logger.info('a line');
  if (order === 'exit') process.exit(0);
  if (order === 'killed') process.kill(process.pid, 'SIGKILL');
  process.send?.('said');
});
process.send?.('ready');
