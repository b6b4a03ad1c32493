import { createServer, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

/** What a process says of itself to whoever runs it. */
export interface Readiness {
  /** Whether new work may be sent here. */
  readonly ready: boolean;
  /** The neighbours' present state, for people: it does not decide readiness. */
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
