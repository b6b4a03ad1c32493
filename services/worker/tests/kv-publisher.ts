import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { encode } from '@msgpack/msgpack';
import { waitUntil } from '@sluice/devkit';
import { GREETING } from '../src/cache/zmtp-frames.ts';

const FLAG_MORE = 1;
const FLAG_LONG = 2;
const READY = Buffer.from('\u0004\u0019\u0005READY\u000bSocket-Type\0\0\0\u0003PUB', 'latin1');
const SUBSCRIBED = Buffer.from([0, 1, 1]);

/** A ZeroMQ publisher of cache events, as vLLM has one. */
export class KvPublisher implements AsyncDisposable {
  readonly #server = createServer((socket) => this.#greet(socket));
  readonly #subscribers = new Set<Socket>();
  #sequence = 0;

  async listen(port = 0): Promise<number> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async subscribed(): Promise<void> {
    await waitUntil(() => this.#subscribers.size > 0, { what: 'a subscriber', timeoutMs: 10_000 });
  }

  /** Publishes a batch of events, which are arrays or objects: the versions of vLLM differ. */
  publish(...events: readonly unknown[]): void {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(this.#sequence));
    this.#sequence += 1;
    const payload = Buffer.from(encode([1_700_000_000.5, events, 0], { useBigInt64: true }));
    const message = Buffer.concat([part(Buffer.alloc(0), true), part(number, true), part(payload)]);
    for (const socket of this.#subscribers) socket.write(message);
  }

  /** Skips a number, as if a message was lost on its way. */
  loseOne(): void {
    this.#sequence += 1;
  }

  disconnect(): void {
    for (const socket of this.#subscribers) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disconnect();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #greet(socket: Socket): void {
    let received = Buffer.alloc(0);
    socket.write(GREETING);
    socket.write(READY);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.subarray(-SUBSCRIBED.length).equals(SUBSCRIBED)) this.#subscribers.add(socket);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#subscribers.delete(socket));
  }
}

function part(body: Buffer, isFollowed = false): Buffer {
  const more = isFollowed ? FLAG_MORE : 0;
  if (body.length < 256) return Buffer.concat([Buffer.from([more, body.length]), body]);
  const head = Buffer.alloc(9);
  head[0] = more | FLAG_LONG;
  head.writeBigUInt64BE(BigInt(body.length), 1);
  return Buffer.concat([head, body]);
}
