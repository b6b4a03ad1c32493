import { Metadata, status, type ServiceError as GrpcError } from '@grpc/grpc-js';
import { connectionFault } from './connection-fault.ts';
import type { ClientTls } from './rpc-tls.ts';

/** Every way a call between services can fail. */
export const RPC_ERROR_CODES = [
  'invalid_argument',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'already_exists',
  'conflict',
  'failed_precondition',
  'resource_exhausted',
  'deadline_exceeded',
  'unavailable',
  'cancelled',
  'unimplemented',
  'internal',
] as const;

export type RpcErrorCode = (typeof RPC_ERROR_CODES)[number];

const STATUS_OF_CODE: Readonly<Record<RpcErrorCode, status>> = {
  invalid_argument: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  permission_denied: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  conflict: status.ABORTED,
  failed_precondition: status.FAILED_PRECONDITION,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  unavailable: status.UNAVAILABLE,
  cancelled: status.CANCELLED,
  unimplemented: status.UNIMPLEMENTED,
  internal: status.INTERNAL,
};

const CODE_OF_STATUS: Readonly<Record<status, RpcErrorCode>> = {
  // No error is made of a success; a peer that sends one broke the protocol.
  [status.OK]: 'internal',
  [status.CANCELLED]: 'cancelled',
  [status.UNKNOWN]: 'internal',
  [status.INVALID_ARGUMENT]: 'invalid_argument',
  [status.DEADLINE_EXCEEDED]: 'deadline_exceeded',
  [status.NOT_FOUND]: 'not_found',
  [status.ALREADY_EXISTS]: 'already_exists',
  [status.PERMISSION_DENIED]: 'permission_denied',
  [status.RESOURCE_EXHAUSTED]: 'resource_exhausted',
  [status.FAILED_PRECONDITION]: 'failed_precondition',
  [status.ABORTED]: 'conflict',
  [status.OUT_OF_RANGE]: 'invalid_argument',
  [status.UNIMPLEMENTED]: 'unimplemented',
  [status.INTERNAL]: 'internal',
  [status.UNAVAILABLE]: 'unavailable',
  [status.DATA_LOSS]: 'internal',
  [status.UNAUTHENTICATED]: 'unauthenticated',
};

export interface RpcErrorOptions extends ErrorOptions {
  readonly connectionFault?: string | undefined;
  readonly isAnswer?: boolean;
}

/** Beside a status that a service gave: gRPC makes up the same ones, in its own words. */
const ANSWERED = 'x-sluice-answered';

/** A failed call between services. Its message travels to the caller: no content, nothing of the inside. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: RpcErrorCode;

  /** Why there is no connection, where an operator has to do something about it. */
  readonly connectionFault: string | undefined;

  /** The other side said so itself, in words for people. */
  readonly isAnswer: boolean;

  constructor(code: RpcErrorCode, message: string, options?: RpcErrorOptions) {
    super(message, options);
    this.connectionFault = options?.connectionFault;
    this.isAnswer = options?.isAnswer ?? false;
    this.code = code;
  }

  /** Whatever was thrown, as an RpcError: unknown things become `internal` and keep their cause. */
  static from(thrown: unknown): RpcError {
    if (thrown instanceof RpcError) return thrown;
    return new RpcError('internal', 'the service had an error', { cause: thrown });
  }
}

/** What a client made of the status it received. */
export function errorOfStatus(received: GrpcError, tls?: ClientTls): RpcError {
  // A peer may send a number that this version has no name for.
  const codes: Readonly<Record<number, RpcErrorCode | undefined>> = CODE_OF_STATUS;
  const code = codes[received.code] ?? 'internal';
  const fault = code === 'unavailable' ? connectionFault(received.details, tls) : undefined;
  return new RpcError(code, received.details, {
    cause: received,
    connectionFault: fault?.reason,
    isAnswer: received.metadata.get(ANSWERED).length > 0,
  });
}

/**
 * A message travels in a header, where a character may take nine bytes, and a connection with 64 KiB of headers is
 * given up by whoever receives them.
 */
const LONGEST_MESSAGE = 4_000;

/** What a server sends for an error. */
export function statusOfError(error: RpcError): GrpcError {
  const { name } = error;
  const message = sendable(error.message);
  const metadata = new Metadata();
  metadata.set(ANSWERED, 'true');
  return { name, message, code: STATUS_OF_CODE[error.code], details: message, metadata };
}

/** gRPC throws at halves of characters, which what a caller sent may have and a message quote. */
function sendable(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message.toWellFormed();
  return `${message.slice(0, LONGEST_MESSAGE).toWellFormed()} …`;
}
