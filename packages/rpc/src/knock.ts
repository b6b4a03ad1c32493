import { connect } from 'node:net';

/** Whether somebody takes a connection there before the signal comes. It is closed at once. */
export async function knock(address: string, signal: AbortSignal): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), signal });
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  const taken = await promise;
  socket.destroy();
  return taken;
}
