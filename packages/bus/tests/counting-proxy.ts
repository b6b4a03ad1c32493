import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform, pipeline } from 'node:stream';

export interface CountingDoor extends AsyncDisposable {
  readonly port: number;
  readonly knocks: number;
  /** Closes all open connections. */
  cut(): void;
}

/** A proxy in front of a server that counts connections. It can replace what the server sends. */
export async function openDoor(
  to: number,
  { retell }: { readonly retell?: (said: Buffer) => Buffer } = {},
): Promise<CountingDoor> {
  const knocked: Socket[] = [];
  const door = createServer((outside) => {
    knocked.push(outside);
    const inside = createConnection({ port: to, host: '127.0.0.1' });
    const teller = new Transform({
      transform: (said: Buffer, _encoding, tell) => tell(null, retell?.(said) ?? said),
    });
    // Either side may close the connection, for example when the server is restarted.
    pipeline(outside, inside, teller, outside, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    port: (door.address() as AddressInfo).port,
    get knocks() {
      return knocked.length;
    },
    cut: () => {
      for (const outside of knocked) outside.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      door.close();
      await once(door, 'close');
    },
  };
}
