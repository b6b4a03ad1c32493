import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which systems number outgoing connections: a port above could be taken by one
 * while its owner is being restarted.
 */
const LOWEST = 18_000;
const HIGHEST = 32_000;
const ATTEMPTS = 200;

export const LOOPBACK = '127.0.0.1';

/** Gives ports that nobody listens on, each once. */
export class FreePorts {
  readonly #given = new Set<number>();

  async next(): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const port = randomInt(LOWEST, HIGHEST);
      if (this.#given.has(port)) continue;
      if (await isFree(port)) {
        this.#given.add(port);
        return port;
      }
    }
    throw new Error(`no free port between ${LOWEST} and ${HIGHEST}`);
  }
}

export async function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
    server.close(() => resolve(true));
  });
  return promise;
}
