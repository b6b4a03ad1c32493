import { ConfigurationError, readConfiguration } from './config.ts';
import { HELP } from './help.ts';
import { startSimulator } from './simulator.ts';

const parameters = process.argv.slice(2);
if (parameters.includes('--help') || parameters.includes('-h')) {
  console.log(HELP);
  process.exit(0);
}

try {
  const simulator = await startSimulator(readConfiguration(process.env, parameters));
  console.log(JSON.stringify({ service: 'simulator', msg: 'started', url: simulator.url }));
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  process.once('SIGTERM', () => stop());
  process.once('SIGINT', () => stop());
  // When the parent process ends, its IPC channel closes, and this process stops too.
  if (process.connected) process.once('disconnect', () => stop());
  await stopped;
  await simulator[Symbol.asyncDispose]();
  process.exit(0);
} catch (error) {
  console.error(`simulator: ${error instanceof Error ? error.message : 'cannot start'}`);
  process.exitCode = error instanceof ConfigurationError ? 2 : 1;
}
