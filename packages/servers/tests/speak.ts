import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends a text to a server and returns the answer as soon as it matches a pattern. */
export async function speak(port: number, say: string, until: RegExp): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.setEncoding('utf8');
  try {
    await once(socket, 'connect');
    socket.write(say);
    let heard = '';
    for await (const text of socket) {
      heard += String(text);
      if (until.test(heard)) return heard;
    }
    throw new Error(`the server closed after: ${heard}`);
  } finally {
    socket.destroy();
  }
}
