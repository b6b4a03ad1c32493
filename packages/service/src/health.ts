import { createServer, type ServerResponse } from 'node:http';
import type { Server } from 'node:net';

/** Starts to listen and returns the URL. Rejects with the address in the message if it cannot listen there. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  try {
    await promise;
  } catch (cause) {
    throw new Error(`cannot listen on ${host}:${port}`, { cause });
  } finally {
    server.off('error', reject);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no address');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

/** What a process reports on /readyz. */
export interface Readiness {
  /** Whether the process accepts new work. */
  readonly ready: boolean;
  /**
   * The state of the services and servers that the process uses. It is shown to operators and does not affect
   * readiness.
   */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly readiness: () => Readiness;
}

export interface HealthServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves /livez and /readyz on an internal port. */
export async function startHealthServer({
  host,
  port,
  readiness,
}: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path === '/livez') answer(response, 200, { status: 'alive' });
    else if (path === '/readyz') {
      const { ready, details } = readiness();
      answer(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', ...details });
    } else answer(response, 404, { status: 'unknown path: /livez and /readyz are served here' });
  });
  const url = await listen(server, { host, port });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}
