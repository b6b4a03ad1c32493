import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { splitAddress } from './split-address.ts';

export interface KnockOptions {
  /** For somebody to open, once it is known where. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/**
 * Whether somebody takes a connection there, which is closed at once. The name is looked up first, and waited for:
 * a look-up cannot be given up, and knocks that do not wait for theirs would pile up before everybody else's.
 */
export async function knock(
  address: string,
  { patienceMs, signal }: KnockOptions,
): Promise<boolean> {
  const { host, port } = splitAddress(address);
  try {
    const places = await lookup(host, { all: true });
    const socket = connect({
      host,
      port,
      lookup: (_host, _options, tell) => tell(null, places),
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    });
    await once(socket, 'connect');
    socket.destroy();
    return true;
  } catch {
    return false;
  }
}
