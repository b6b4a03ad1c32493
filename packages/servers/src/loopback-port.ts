import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/**
 * Below the range from which systems number outgoing connections: one of those
 * could take the port while its server is being restarted.
 */
const LOWEST = 18_000;
const HIGHEST = 32_000;
const ATTEMPTS = 100;

/** A port of this machine that nobody listens on now; the next moment somebody may. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`found no free port between ${LOWEST} and ${HIGHEST}`);
}

export async function isPortFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
    server.close(() => resolve(true));
  });
  return promise;
}
