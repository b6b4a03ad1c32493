import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends a line to a server and returns the answer as soon as it matches a pattern. */
export async function speak(port: number, line: string, until: RegExp): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.setEncoding('utf8');
  try {
    await once(socket, 'connect');
    socket.write(line);
    let received = '';
    for await (const text of socket) {
      received += String(text);
      if (until.test(received)) return received;
    }
    throw new Error(`the server closed after: ${received}`);
  } finally {
    socket.destroy();
  }
}
