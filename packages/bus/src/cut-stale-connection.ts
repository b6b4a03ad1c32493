import type { NatsConnection } from '@nats-io/transport-node';

/**
 * Closes the connection to a server that no longer answers. The client would do so itself, but only after it has
 * written all pending data. With a full socket to a frozen server that never happens. The client has no public method
 * to skip the wait. If a later version of the client has no `protocol.transport`, nothing is closed here, and the
 * client waits as described.
 */
export async function cutStaleConnection(connection: NatsConnection): Promise<void> {
  if (!isOverTransport(connection)) return;
  await connection.protocol.transport.close(new Error('the server does not answer'));
}

interface OverTransport {
  readonly protocol: { readonly transport: { close(error: Error): Promise<void> } };
}

function isOverTransport(connection: object): connection is OverTransport {
  const protocol: unknown = Reflect.get(connection, 'protocol');
  if (typeof protocol !== 'object' || protocol === null) return false;
  const transport: unknown = Reflect.get(protocol, 'transport');
  if (typeof transport !== 'object' || transport === null) return false;
  return typeof Reflect.get(transport, 'close') === 'function';
}
