import { Agent, createServer, request } from 'node:http';
import { LOOPBACK } from '@sluice/servers';

/** Requests longer than this go to the second runtime. */
const LONG_BYTES = 16_384;

const [short = '', long = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

/**
 * A proxy that lets two simulated runtimes look like one. A simulated runtime reads a long prompt in its event loop,
 * which would delay other answers. This delay would not come from Sluice, so long requests get a runtime of their own.
 */
const server = createServer({ requestTimeout: 0 }, (incoming, reply) => {
  const isLong = Number(incoming.headers['content-length'] ?? 0) > LONG_BYTES;
  const outgoing = request(new URL(incoming.url ?? '/', isLong ? long : short), {
    agent,
    method: incoming.method ?? 'GET',
    headers: incoming.headers,
  });
  outgoing.once('response', (answer) => {
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(reply);
    answer.once('error', () => reply.destroy());
  });
  outgoing.once('error', () => reply.destroy());
  reply.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
});
server.listen(0, LOOPBACK, () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`http://${LOOPBACK}:${port}\n`);
});
