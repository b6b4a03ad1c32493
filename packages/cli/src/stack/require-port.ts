import { createServer } from 'node:net';
import { LOOPBACK } from '@sluice/servers';
import { UsageError } from '../command.ts';
import { errorCode } from '../error-code.ts';

/** Fails if the port cannot be listened on, before any process is started. Port 0 means any free port. */
export async function requirePort(port: number): Promise<void> {
  const problem = await problemOf(port);
  if (problem === undefined) return;
  const reason = problem === 'EADDRINUSE' ? 'is in use' : `cannot be used (${problem})`;
  throw new UsageError(
    `port ${port} ${reason}; choose another with --port, or any free one with --port 0`,
  );
}

/** Whether the port can be listened on now. */
export async function isFreePort(port: number): Promise<boolean> {
  return (await problemOf(port)) === undefined;
}

async function problemOf(port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer();
  server.once('error', (error) => resolve(errorCode(error)));
  server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
    server.close(() => resolve(undefined));
  });
  return promise;
}
