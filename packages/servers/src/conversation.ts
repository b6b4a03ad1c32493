import { connect } from 'node:net';
import { LOOPBACK } from './loopback-port.ts';

/** A port, on this machine unless a host is named. */
export interface Place {
  readonly port: number;
  readonly host?: string;
}

export type Conversation = Place & {
  /** Said at once, without waiting for the server to speak. */
  readonly say: string;
  /** Judges all that was heard so far; undefined waits for more. */
  readonly judge: (heard: string) => boolean | undefined;
  /** How long it may be silent. */
  readonly patienceMs?: number;
};

const PATIENCE_MS = 1_000;

/** Talks to a server; false when it does not answer, or not as expected. */
export async function converse({
  say,
  judge,
  patienceMs = PATIENCE_MS,
  ...place
}: Conversation): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: LOOPBACK, ...place });
  let heard = '';
  const consider = () => {
    const verdict = judge(heard);
    if (verdict !== undefined) resolve(verdict);
  };
  socket.setTimeout(patienceMs, () => resolve(false));
  socket.setEncoding('utf8');
  socket.once('connect', () => {
    socket.write(say);
    consider();
  });
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  socket.on('data', (text: string) => {
    heard += text;
    consider();
  });
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
