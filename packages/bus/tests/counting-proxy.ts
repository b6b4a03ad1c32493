import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform, pipeline } from 'node:stream';

export interface CountingProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections were made to it so far. */
  readonly connections: number;
  /** Closes all open connections. */
  cut(): void;
}

/** Starts a proxy in front of a server. It counts connections, and `rewrite` can replace what the server sends. */
export async function startCountingProxy(
  serverPort: number,
  { rewrite }: { readonly rewrite?: (chunk: Buffer) => Buffer } = {},
): Promise<CountingProxy> {
  const sockets: Socket[] = [];
  const proxy = createServer((client) => {
    sockets.push(client);
    const server = createConnection({ port: serverPort, host: '127.0.0.1' });
    const rewriter = new Transform({
      transform: (chunk: Buffer, _encoding, callback) => callback(null, rewrite?.(chunk) ?? chunk),
    });
    // Either side may close the connection, for example when the server is restarted.
    pipeline(client, server, rewriter, client, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    get connections() {
      return sockets.length;
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
