import { status, type Client, type ServiceError } from '@grpc/grpc-js';
import type { ClientTls } from './rpc-tls.ts';

export interface ConnectionCheckOptions {
  /** Returns the current client. */
  readonly client: () => Client;
  readonly tls: ClientTls | undefined;
  /** Called with the current reason after each check, until the connection is made. */
  readonly onFault: (reason: string) => void;
}

/** Time between two checks, in which gRPC makes many attempts to connect. */
const CHECK_INTERVAL_MS = 2_000;
const CHECK_TIMEOUT_MS = 1_000;

/** Finds out why a connection fails by making a call on it: gRPC reports the reason only in the error of a call. */
export class ConnectionCheck implements Disposable {
  readonly #options: ConnectionCheckOptions;
  #timer: NodeJS.Timeout | undefined;
  /** The fault that the last check found. */
  #lastFault: string | undefined;

  constructor(options: ConnectionCheckOptions) {
    this.#options = options;
  }

  begin(): void {
    if (this.#timer !== undefined) return;
    this.#check();
    // The reason may change, for example when the server starts later.
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** Called when the connection is made. */
  end(): void {
    this[Symbol.dispose]();
    this.#lastFault = undefined;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Makes a call of the health service, which every Sluice server answers if the connection has been made meanwhile.
   */
  #check(): void {
    this.#options.client().makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      () => Buffer.alloc(0),
      (reply) => reply,
      undefined,
      { deadline: Date.now() + CHECK_TIMEOUT_MS },
      (error) => this.#judge(error),
    );
  }

  /** Reports a doubtful fault only if two checks in a row found it. */
  #judge(error: ServiceError | null): void {
    if (error?.code !== status.UNAVAILABLE || this.#timer === undefined) return;
    const fault = connectionFault(error.details, this.#options.tls);
    const lastFault = this.#lastFault;
    this.#lastFault = fault?.reason;
    if (fault === undefined || (fault.doubtful && fault.reason !== lastFault)) return;
    this.#options.onFault(fault.reason);
  }
}

/** Why a connection cannot be made, if an operator must act. */
export interface ConnectionFault {
  /** What is wrong with the other side as seen from here, and which setting to check. */
  readonly reason: string;
  /** True if a server that is just stopping looks the same. */
  readonly doubtful: boolean;
}

const SHOW_CERTIFICATE = 'GRPC_CERT_FILE and GRPC_KEY_FILE set it';

/** Error texts of TLS, Node and gRPC with their reasons. The first match is used. */
const CLEAR_FAULTS: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|record layer failure/,
    'it does not support TLS: set GRPC_TLS=true there, or not here',
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    'its certificate is not valid for this address',
  ],
  [/alert certificate required/, `it requires a certificate: ${SHOW_CERTIFICATE}`],
  [
    /alert (?:unknown ca|bad certificate|certificate (?:expired|revoked|unknown))/,
    `it does not accept the certificate: ${SHOW_CERTIFICATE}`,
  ],
  [/certificate has expired/, 'its certificate has expired'],
  [/certificate is not yet valid/, 'its certificate is not valid yet'],
  [
    /self[- ]signed certificate|unable to (?:get|verify)/,
    'its certificate is not from a trusted authority: GRPC_CA_FILE sets the trusted ones',
  ],
  [/certificate/i, 'its certificate cannot be accepted, for its purpose or the way it is signed'],
];

/** How gRPC's message begins if the call never reached a server. */
const NOT_CONNECTED = 'No connection established';
const CLOSED = /Failed to connect|ECONNRESET|EPIPE|socket hang up|socket disconnected/;

/** The fault that the details of a failed call describe. Undefined if the server is merely unreachable. */
export function connectionFault(
  details: string,
  tls: ClientTls | undefined,
): ConnectionFault | undefined {
  if (!details.startsWith(NOT_CONNECTED)) return undefined;
  if (tls !== undefined) {
    const [, reason] = CLEAR_FAULTS.find(([pattern]) => pattern.test(details)) ?? [];
    if (reason !== undefined) return { reason, doubtful: false };
  }
  if (!CLOSED.test(details)) return undefined;
  return { reason: `it closes connections without a reason: ${guess(tls)}`, doubtful: true };
}

function guess(tls: ClientTls | undefined): string {
  if (tls === undefined) return 'it may require TLS, which GRPC_TLS=true turns on here';
  const verb = tls.identity === undefined ? 'require a' : 'not accept the';
  return `it may ${verb} certificate: ${SHOW_CERTIFICATE}`;
}
