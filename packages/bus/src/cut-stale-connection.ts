import type { NatsConnection } from '@nats-io/transport-node';

/**
 * Cuts the connection to a server that has gone silent. The client ends it by itself, but not before everything is
 * written that was to be sent: with a full socket to a frozen server that is never. It has no public way to do without;
 * a version of it that has no transport in this place waits as it does.
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
