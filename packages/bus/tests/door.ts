import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform, pipeline } from 'node:stream';

export interface CountingDoor extends AsyncDisposable {
  readonly port: number;
  readonly knocks: number;
  /** Breaks off with everybody who went through. */
  cut(): void;
}

/** Leads to a server, and counts who goes through. What the server says may be told otherwise. */
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
    // Either end may break off, as when the server is restarted.
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
