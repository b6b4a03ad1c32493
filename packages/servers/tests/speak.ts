import { once } from 'node:events';
import { connect } from 'node:net';

/** Says something to a server and returns all that it answers until a pattern is met. */
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
