import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A collector that accepts everything and stores nothing. It prints its address first. `GET /` returns the number of
 * bytes received for each path.
 */
const received: Record<string, number> = {};

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(received));
    return;
  }
  const path = request.url ?? '/';
  request.on('data', (bytes: Buffer) => {
    received[path] = (received[path] ?? 0) + bytes.length;
  });
  request.on('end', () =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  );
});

server.listen(0, '127.0.0.1', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const { port } = server.address() as AddressInfo;
  console.log(`http://127.0.0.1:${port}`);
});
