import { status, type Client, type ServiceError } from '@grpc/grpc-js';
import { connectionFault } from './connection-fault.ts';
import type { ClientTls } from './rpc-tls.ts';

export interface ConnectionInquiryOptions {
  /** That of the present attempt. */
  readonly client: () => Client;
  readonly tls: ClientTls | undefined;
  /** Told of the present reason whenever it was asked for, until the connection is made. */
  readonly onFault: (reason: string) => void;
}

/** Many attempts to connect lie between two of these. */
const ASK_EVERY_MS = 2_000;
const ASK_FOR_MS = 1_000;

/** Asks a connection that fails why: gRPC tells it to none but those who call. */
export class ConnectionInquiry implements Disposable {
  readonly #options: ConnectionInquiryOptions;
  #asking: NodeJS.Timeout | undefined;
  #suspected: string | undefined;

  constructor(options: ConnectionInquiryOptions) {
    this.#options = options;
  }

  begin(): void {
    if (this.#asking !== undefined) return;
    this.#ask();
    // A neighbour that was not there yet may come with another reason.
    this.#asking = setInterval(() => this.#ask(), ASK_EVERY_MS).unref();
  }

  /** The connection was made. */
  end(): void {
    this[Symbol.dispose]();
    this.#suspected = undefined;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#asking);
    this.#asking = undefined;
  }

  /** Every server of ours answers this call, should the connection be made meanwhile. */
  #ask(): void {
    this.#options.client().makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      () => Buffer.alloc(0),
      (reply) => reply,
      undefined,
      { deadline: Date.now() + ASK_FOR_MS },
      (error) => this.#heard(error),
    );
  }

  #heard(error: ServiceError | null): void {
    if (error?.code !== status.UNAVAILABLE || this.#asking === undefined) return;
    const fault = connectionFault(error.details, this.#options.tls);
    const suspected = this.#suspected;
    this.#suspected = fault?.reason;
    if (fault === undefined || (fault.doubtful && fault.reason !== suspected)) return;
    this.#options.onFault(fault.reason);
  }
}
