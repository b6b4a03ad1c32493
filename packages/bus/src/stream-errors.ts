import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';

/** The server answered, and has no such stream: other than a server that cannot be asked. */
export function isMissingStream(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}
