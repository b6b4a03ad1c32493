import { JetStreamApiCodes, JetStreamApiError, type StreamInfo } from '@nats-io/jetstream';
import { PermissionViolationError } from '@nats-io/transport-node';

/** Refusals that the server has numbers for, and the client no names. */
const IMPOSSIBLE_CODES: ReadonlySet<number> = new Set([
  10_052, // The server takes no stream of this shape.
  10_065, // Another stream keeps some of its subjects.
  10_074, // Several replicas are asked of a server that is no cluster.
]);

/** The server answered, and has no such stream: other than a server that cannot be asked. */
export function isMissingStream(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

/** This user may not ask for it, or not hear the answer. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof PermissionViolationError;
}

/**
 * For a log: what a server says of its streams quotes no content. What is not permitted is told by the bus, with names
 * that are others each time.
 */
export function reasonOf(error: unknown): string {
  if (isForbidden(error)) return 'not permitted';
  return error instanceof Error ? error.message : 'unknown';
}

/** Several replicas are asked of a server that is alone. */
class NoClusterError extends Error {
  override readonly name = 'NoClusterError';
}

/**
 * A server that is alone makes no stream with several replicas, but gives them to one that there is, and finds it no
 * more when it is started the next time.
 */
export function requireCluster({ cluster }: Pick<StreamInfo, 'cluster'>, replicas: number): void {
  // A server that is alone names itself as the leader, and no cluster.
  if (replicas === 1 || cluster?.name !== undefined) return;
  throw new NoClusterError('the server is no cluster');
}

/** Settings have to be changed first: it makes no sense to ask again. */
export function isImpossibleStream(error: unknown): boolean {
  if (error instanceof NoClusterError) return true;
  return error instanceof JetStreamApiError && IMPOSSIBLE_CODES.has(error.code);
}
