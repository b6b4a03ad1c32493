import { connect } from 'node:net';
import { LOOPBACK } from './loopback-port.ts';

/** The address of a server. Without a host, it is on this machine. */
export interface ServerAddress {
  readonly port: number;
  readonly host?: string;
}

export type ServerProbe = ServerAddress & {
  /** Sent as soon as the connection is open. */
  readonly send: string;
  /** Called with all data received so far. Returns the result, or undefined to wait for more data. */
  readonly check: (received: string) => boolean | undefined;
  /** How long the server may send nothing. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 1_000;

/** Sends a text to a server and checks the answer. False if the server does not answer, or not as expected. */
export async function probeServer({
  send,
  check,
  timeoutMs = TIMEOUT_MS,
  ...address
}: ServerProbe): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: LOOPBACK, ...address });
  let received = '';
  const checkReceived = () => {
    const verdict = check(received);
    if (verdict !== undefined) resolve(verdict);
  };
  socket.setTimeout(timeoutMs, () => resolve(false));
  socket.setEncoding('utf8');
  socket.once('connect', () => {
    socket.write(send);
    checkReceived();
  });
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  socket.on('data', (text: string) => {
    received += text;
    checkReceived();
  });
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
