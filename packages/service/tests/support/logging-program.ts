import { createLogger } from '../../src/logger.ts';

/**
 * Logs on request: `info` and `warn` log one line, `exit` logs an info line and exits, `killed` logs a warning and is
 * killed at once.
 */
const logger = createLogger({ service: 'logging program', level: 'info' });
process.on('message', (order) => {
  if (order === 'warn' || order === 'killed') logger.warn('a warning');
  else logger.info('a line');
  if (order === 'exit') process.exit(0);
  if (order === 'killed') process.kill(process.pid, 'SIGKILL');
  process.send?.('logged');
});
process.send?.('ready');
