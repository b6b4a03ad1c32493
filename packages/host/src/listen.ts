import type { Server } from 'node:net';

/** Starts listening and says where; a refusal rejects, with the address in the message. */
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
