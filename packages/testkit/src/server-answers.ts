import { connect } from 'node:net';

export type ServerKind = 'redis' | 'nats';

/** Redis is asked; NATS speaks first. */
const GREETINGS = {
  redis: { say: 'PING\r\n', hear: '+PONG' },
  nats: { say: '', hear: 'INFO ' },
} as const satisfies Record<ServerKind, { say: string; hear: string }>;

/** Whether the server at an address speaks its protocol, rather than merely holding the port. */
export async function answersAt(
  kind: ServerKind,
  address: { host: string; port: number },
): Promise<boolean> {
  const { say, hear } = GREETINGS[kind];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ ...address, timeout: 1_000 }, () => socket.write(say));
  socket.once('data', (bytes) => resolve(bytes.toString('latin1').startsWith(hear)));
  socket.once('error', () => resolve(false));
  socket.once('timeout', () => resolve(false));
  socket.once('close', () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
