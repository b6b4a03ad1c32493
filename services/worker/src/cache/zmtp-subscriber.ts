import { createConnection, type Socket } from 'node:net';
import { LogDeduplicator, type Logger } from '@sluice/service';
import { FrameReader, GREETING, READY, SUBSCRIBE_TO_ALL, ZmtpError } from './zmtp-frames.ts';

export interface SubscriberOptions {
  readonly host: string;
  readonly port: number;
  /** A message of one or more parts. */
  readonly onMessage: (parts: readonly Buffer[]) => void;
  /** The connection was lost, so messages may be lost too. */
  readonly onLost: () => void;
  readonly logger: Logger;
}

const RECONNECT_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Receives the messages of a ZeroMQ publisher, and connects again when the connection is lost. It is written here
 * because the packages for ZeroMQ bring a native library for each platform, while a subscriber needs only a greeting
 * and a parser of frames:
 * https://rfc.zeromq.org/spec/23/ (ZMTP 3.0, which later versions accept).
 */
export class ZmtpSubscriber implements Disposable {
  readonly #options: SubscriberOptions;
  readonly #reasons = new LogDeduplicator();
  #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(options: SubscriberOptions) {
    this.#options = options;
    this.#socket = this.#connect();
  }

  #connect(): Socket {
    const { host, port, onMessage, logger } = this.#options;
    const socket = createConnection({ host, port, keepAlive: true, noDelay: true });
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const reader = new FrameReader({
      onReady: () => {
        socket.write(SUBSCRIBE_TO_ALL);
        this.#reasons.reset();
        logger.info({ publisher: `${host}:${port}` }, 'receiving cache events');
      },
      onMessage,
    });
    let reason = 'ended';
    socket.on('connect', () => socket.write(Buffer.concat([GREETING, READY])));
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.read(chunk);
      } catch (error) {
        if (!(error instanceof ZmtpError)) throw error;
        reason = error.message;
        socket.destroy();
      }
    });
    socket.on('error', (error) => {
      reason = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
    });
    socket.on('close', () => this.#lost(reason));
    return socket;
  }

  #lost(reason: string): void {
    if (this.#isDisposed) return;
    const { host, port, onLost, logger } = this.#options;
    onLost();
    if (this.#reasons.shouldLog(reason)) {
      logger.warn({ publisher: `${host}:${port}`, reason }, 'cache events cannot be received');
    }
    this.#timer = setTimeout(() => {
      this.#socket = this.#connect();
    }, RECONNECT_MS);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }
}
