import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';

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

/** Settings have to be changed first: it makes no sense to ask again. */
export function isImpossibleStream(error: unknown): boolean {
  return error instanceof JetStreamApiError && IMPOSSIBLE_CODES.has(error.code);
}
