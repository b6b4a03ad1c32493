import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/**
 * Below the ephemeral ports of Linux (`ip_local_port_range` in https://docs.kernel.org/networking/ip-sysctl.html). An
 * outgoing connection with an ephemeral port could otherwise take the port of a server while the server restarts.
 */
export const FREE_PORTS = { lowest: 18_000, highest: 32_000 } as const;
/** Limits the range, as `LOWEST-HIGHEST`. Tests that run in parallel use ranges that do not overlap. */
export const FREE_PORTS_VARIABLE = 'SLUICE_FREE_PORTS';
const ATTEMPTS = 100;

let lastPort: number | undefined;

/**
 * A port of this machine that is free now. Another process may take it at any time. The caller may ask for several ports
 * before it uses the first one, so no port is returned again until the whole range has been tried.
 */
export async function findFreePort(): Promise<number> {
  const { lowest, highest } = freePorts(process.env[FREE_PORTS_VARIABLE]);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const next = lastPort === undefined ? randomInt(lowest, highest) : lastPort + 1;
    lastPort = next >= lowest && next < highest ? next : lowest;
    const port = lastPort;
    if (await isPortFree(port)) return port;
  }
  throw new Error(`found no free port between ${lowest} and ${highest}`);
}

function freePorts(given: string | undefined): { lowest: number; highest: number } {
  const [lowest, highest] = (given ?? '').split('-').map(Number);
  return lowest !== undefined && highest !== undefined ? { lowest, highest } : FREE_PORTS;
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
