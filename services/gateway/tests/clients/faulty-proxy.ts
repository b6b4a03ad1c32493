import { createServer, request as httpRequest, type Server } from 'node:http';
import { ServiceError } from '@sluice/contracts';
import { listen } from '@sluice/service';
import { errorReply } from '../../src/edge/error-reply.ts';

/** Refuses the first requests like a gateway without workers, and passes all later ones on to a gateway. */
export class FaultyProxy implements AsyncDisposable {
  readonly url: string;
  failed = 0;
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(target: string, { failures }: { failures: number }): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(server, await listen(server, { host: '127.0.0.1', port: 0 }));
    server.on('request', (request, response) => {
      if (proxy.failed < failures) {
        proxy.failed += 1;
        request.resume();
        const failure = new ServiceError('infrastructure_rate_limit_exceeded', 'No room.', {
          retryAfterMs: 50,
        });
        const { status, headers, body } = errorReply(failure);
        response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(body);
        return;
      }
      const { method, headers, url } = request;
      const onward = httpRequest(`${target}${url ?? ''}`, { method, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(response);
      });
      request.pipe(onward);
    });
    return proxy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}
