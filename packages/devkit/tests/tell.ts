import { connect } from 'node:net';

/** Sends a line to a server, and returns the first data that the server sends. */
export async function tell(url: string, line: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: hostname, port: Number(port), timeout: 500 }, () =>
    socket.write(line),
  );
  socket.once('data', (bytes) => resolve(bytes.toString()));
  socket.once('timeout', () => reject(new Error('no answer')));
  socket.once('close', () => reject(new Error('closed without an answer')));
  socket.once('error', reject);
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
