import type { ClientTls } from './rpc-tls.ts';

/** Why a connection cannot be made, where an operator has to do something about it. */
export interface ConnectionFault {
  /** What is wrong with the other side as seen from here, and which setting to look at. */
  readonly reason: string;
  /** A server that is just being stopped looks the same. */
  readonly doubtful: boolean;
}

const SHOW_CERTIFICATE = 'GRPC_CERT_FILE and GRPC_KEY_FILE name what it is shown';

/** What TLS, Node and gRPC say in the end, the first that fits. */
const CLEAR_FAULTS: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|record layer failure/,
    'it does not speak TLS: set GRPC_TLS=true there, or not here',
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    'its certificate is not made out to this address',
  ],
  [/alert certificate required/, `it wants to be shown a certificate: ${SHOW_CERTIFICATE}`],
  [
    /alert (?:unknown ca|bad certificate|certificate (?:expired|revoked|unknown))/,
    `it does not accept the certificate: ${SHOW_CERTIFICATE}`,
  ],
  [/certificate has expired/, 'its certificate has expired'],
  [/certificate is not yet valid/, 'its certificate is not valid yet'],
  [
    /self[- ]signed certificate|unable to (?:get|verify)/,
    'its certificate is of no authority that is trusted here: GRPC_CA_FILE names them',
  ],
  [/certificate/i, 'its certificate cannot be accepted, for its purpose or the way it is signed'],
];

/** How gRPC begins when it was no server that refused the call. */
const NOT_CONNECTED = 'No connection established';
const CLOSED = /Failed to connect|ECONNRESET|EPIPE|socket hang up|socket disconnected/;

/** Of what a failed call says about its connection. Undefined where it is just not there. */
export function connectionFault(
  details: string,
  tls: ClientTls | undefined,
): ConnectionFault | undefined {
  if (!details.startsWith(NOT_CONNECTED)) return undefined;
  if (tls !== undefined) {
    const [, reason] = CLEAR_FAULTS.find(([words]) => words.test(details)) ?? [];
    if (reason !== undefined) return { reason, doubtful: false };
  }
  if (!CLOSED.test(details)) return undefined;
  return { reason: `it closes connections without a word: ${guess(tls)}`, doubtful: true };
}

function guess(tls: ClientTls | undefined): string {
  if (tls === undefined) return 'it may speak TLS, which GRPC_TLS=true turns on here';
  const about = tls.identity === undefined ? 'want to be shown a' : 'not accept the';
  return `it may ${about} certificate: ${SHOW_CERTIFICATE}`;
}
