import { connect } from 'node:net';
import { LOOPBACK } from './loopback-port.ts';

export type Conversation = {
  readonly port: number;
  /** Said at once, without waiting for the server to speak. */
  readonly say: string;
  /** Judges all that was heard so far; undefined waits for more. */
  readonly judge: (heard: string) => boolean | undefined;
};

const PATIENCE_MS = 1_000;

/** Talks to a server on this machine; false when it does not answer, or not as expected. */
export async function converse({ port, say, judge }: Conversation): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: LOOPBACK });
  let heard = '';
  socket.setTimeout(PATIENCE_MS, () => resolve(false));
  socket.setEncoding('utf8');
  socket.once('connect', () => socket.write(say));
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  socket.on('data', (text: string) => {
    heard += text;
    const verdict = judge(heard);
    if (verdict !== undefined) resolve(verdict);
  });
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
