import { connect, type Socket } from 'node:net';
import type { Running } from '../driver/driver-process.ts';
import type { Target } from '../load/load-options.ts';
import type { TrafficState } from './traffic-options.ts';
import type { WireTraffic } from './wire-traffic.ts';

const STATUS = /HTTP\/1\.1 (\d{3})/g;
const CONNECT_TIMEOUT_MS = 10_000;

/** Connections that are opened together and then send all their traffic. */
export class RunningTraffic implements Running<TrafficState> {
  readonly #sockets: readonly Socket[];
  readonly #bytes: number;
  readonly #statuses: Record<string, number> = {};
  /** Connections that wait for their first reply. */
  readonly #unanswered = new Set<Socket>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #sentAtMs: number;

  private constructor(sockets: readonly Socket[], traffic: readonly WireTraffic[]) {
    this.#sockets = sockets;
    this.#bytes = traffic.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.#sentAtMs = performance.timeOrigin + performance.now();
    for (const [index, socket] of sockets.entries()) {
      const one = traffic[index];
      if (one !== undefined) this.#send(socket, one);
    }
  }

  static async start(
    traffic: readonly WireTraffic[],
    target: Pick<Target, 'host' | 'port'>,
  ): Promise<RunningTraffic> {
    const sockets = await Promise.all(traffic.map(() => openSocket(target)));
    return new RunningTraffic(sockets, traffic);
  }

  read(): TrafficState {
    return {
      connections: this.#sockets.length,
      bytes: this.#bytes,
      sentAtMs: this.#sentAtMs,
      unanswered: this.#unanswered.size,
      statuses: { ...this.#statuses },
    };
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    // One after the other, because closing all connections at once would be a load of its own.
    for (const socket of this.#sockets) await closeSocket(socket);
  }

  #send(socket: Socket, { bytes, drip, misbehaviour }: WireTraffic): void {
    if (misbehaviour !== 'never reads') this.#readReplies(socket);
    if (misbehaviour === undefined) {
      this.#unanswered.add(socket);
      socket.once('close', () => this.#unanswered.delete(socket));
    }
    if (drip !== undefined) this.#drip(socket, bytes, drip);
    else if (misbehaviour === 'leaves') socket.write(bytes, () => socket.destroy());
    else socket.write(bytes);
  }

  #drip(socket: Socket, bytes: Buffer, drip: NonNullable<WireTraffic['drip']>): void {
    let sent = 0;
    const timer = setInterval(() => {
      socket.write(bytes.subarray(sent, sent + drip.bytes));
      sent += drip.bytes;
      if (sent >= bytes.length) clearInterval(timer);
    }, drip.everyMs);
    this.#timers.push(timer);
  }

  #readReplies(socket: Socket): void {
    // A status line can be split between two reads.
    let rest = '';
    socket.on('data', (piece) => {
      const text = rest + piece.toString('latin1');
      for (const [, status = ''] of text.matchAll(STATUS)) {
        this.#unanswered.delete(socket);
        this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
      }
      rest = text.slice(Math.max(text.lastIndexOf('HTTP/1.1 ') + 12, text.length - 11));
    });
  }
}

/** Opens a socket. It reads nothing until a `data` listener is added. */
async function openSocket({ host, port }: Pick<Target, 'host' | 'port'>): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, noDelay: true, timeout: CONNECT_TIMEOUT_MS });
  socket.once('connect', () => {
    socket.setTimeout(0);
    resolve(socket);
  });
  socket.once('timeout', () => socket.destroy(new Error('the gateway takes no connection')));
  socket.once('error', reject);
  // The server may close a connection at any time. This is not a failure of the sender.
  socket.on('error', () => undefined);
  return promise;
}

async function closeSocket(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  socket.destroy();
  await promise;
}
