import { JetStreamApiCodes, JetStreamApiError, type StreamInfo } from '@nats-io/jetstream';
import { PermissionViolationError } from '@nats-io/transport-node';

/** Refusals for which the client has no named codes. */
const IMPOSSIBLE_CODES: ReadonlySet<number> = new Set([
  10_052, // The server cannot create a stream with this configuration.
  10_065, // Another stream already stores some of the subjects.
  10_074, // Several replicas were requested of a server outside a cluster.
]);

/** Whether the server answered that the stream does not exist. False if the server cannot be reached. */
export function isMissingStream(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

/** Whether the user is not permitted to send the request or to receive the answer. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof PermissionViolationError;
}

/**
 * The reason for a log. Errors of the server about its streams contain no record content. A missing permission is
 * shortened: the bus logs it in full, and its text has different random names each time.
 */
export function reasonOf(error: unknown): string {
  if (isForbidden(error)) return 'not permitted';
  return error instanceof Error ? error.message : 'unknown';
}

/** Several replicas were requested, but the server is not in a cluster. */
class NoClusterError extends Error {
  override readonly name = 'NoClusterError';
}

/**
 * Throws if several replicas are requested and the server is not in a cluster. Such a server refuses to create a stream
 * with several replicas, but it accepts an update of an existing stream. After its next start it no longer finds that
 * stream.
 */
export function requireCluster({ cluster }: Pick<StreamInfo, 'cluster'>, replicas: number): void {
  // A server outside a cluster reports itself as the leader, but no cluster name.
  if (replicas === 1 || cluster?.name !== undefined) return;
  throw new NoClusterError('the server is not in a cluster');
}

/** Whether the request cannot succeed until settings are changed. It is then not retried. */
export function isImpossibleStream(error: unknown): boolean {
  if (error instanceof NoClusterError) return true;
  return error instanceof JetStreamApiError && IMPOSSIBLE_CODES.has(error.code);
}
