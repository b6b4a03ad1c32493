import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';

/** Splits `host:port`. An IPv6 address is written in brackets, which are removed. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return {
    host: address.slice(0, colon).replace(/^\[|\]$/g, ''),
    port: Number(address.slice(colon + 1)),
  };
}

export interface ProbeOptions {
  /** The timeout of the connection, not counting the DNS lookup. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Whether a TCP connection to this address can be made; it is closed at once. The name is looked up first, without a
 * timeout. A DNS lookup cannot be cancelled. If probes stopped waiting for it, lookups would accumulate in their queue.
 */
export async function probeTcp(
  address: string,
  { timeoutMs, signal }: ProbeOptions,
): Promise<boolean> {
  const { host, port } = splitAddress(address);
  try {
    const addresses = await lookup(host, { all: true });
    const socket = connect({
      host,
      port,
      lookup: (_host, _options, callback) => callback(null, addresses),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await once(socket, 'connect');
    socket.destroy();
    return true;
  } catch {
    return false;
  }
}
