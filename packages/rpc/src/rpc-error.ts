import { Metadata, status, type ServiceError as GrpcError } from '@grpc/grpc-js';
import { connectionFault } from './connection-check.ts';
import type { ClientTls } from './rpc-tls.ts';

/** All error codes of a call between services. */
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
  // An error with the status OK means that the peer broke the protocol.
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
  /** Why the call was refused, in one word for programs. */
  readonly reason?: string | undefined;
}

/** Metadata that marks a status sent by the service itself. gRPC creates the same statuses with its own messages. */
const ANSWERED = 'x-sluice-answered';

/** Metadata with the reason of a refusal. */
const REASON = 'x-sluice-reason';

/**
 * A failed call between services. The message is sent to the caller, so it contains no content and no internal details.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: RpcErrorCode;

  /** Why the connection fails, if an operator must act. */
  readonly connectionFault: string | undefined;

  /** Whether the other side sent this error itself, with a message for people. */
  readonly isAnswer: boolean;

  /** Why the other side refused the call, in one word for programs, if it said so. */
  readonly reason: string | undefined;

  constructor(code: RpcErrorCode, message: string, options?: RpcErrorOptions) {
    super(message, options);
    this.connectionFault = options?.connectionFault;
    this.isAnswer = options?.isAnswer ?? false;
    this.reason = options?.reason;
    this.code = code;
  }

  /** Converts any thrown value to an RpcError. Unknown values become `internal` and are kept as the cause. */
  static from(thrown: unknown): RpcError {
    if (thrown instanceof RpcError) return thrown;
    return new RpcError('internal', 'the service had an error', { cause: thrown });
  }
}

/** Converts the status that a client received. */
export function errorOfStatus(received: GrpcError, tls?: ClientTls): RpcError {
  // A peer may send a number that this version does not know.
  const codes: Readonly<Record<number, RpcErrorCode | undefined>> = CODE_OF_STATUS;
  const code = codes[received.code] ?? 'internal';
  const [reason] = received.metadata.get(REASON);
  const fault = code === 'unavailable' ? connectionFault(received.details, tls) : undefined;
  return new RpcError(code, received.details, {
    cause: received,
    connectionFault: fault?.reason,
    isAnswer: received.metadata.get(ANSWERED).length > 0,
    reason: typeof reason === 'string' ? reason : undefined,
  });
}

/**
 * The message is sent in a header, where a character may take nine bytes. The receiver closes a connection whose
 * headers exceed 64 KiB.
 */
const MAX_MESSAGE_LENGTH = 4_000;

/** Converts an error to the status that a server sends. */
export function statusOfError(error: RpcError): GrpcError {
  const { name } = error;
  const message = sendable(error.message);
  const metadata = new Metadata();
  metadata.set(ANSWERED, 'true');
  if (error.reason !== undefined) metadata.set(REASON, error.reason);
  return { name, message, code: STATUS_OF_CODE[error.code], details: message, metadata };
}

/** gRPC throws on lone surrogates. The caller's input may contain them, and a message may quote it. */
function sendable(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message.toWellFormed();
  return `${message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()} …`;
}
