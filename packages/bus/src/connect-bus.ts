import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { Logger } from '@sluice/telemetry';
import type { Bus } from './bus.ts';
import { NatsBus } from './nats-bus.ts';

export interface BusOptions {
  /** `host:port` or `nats://user:password@host:port`; any of them will do. */
  readonly servers: readonly string[];
  /** What the server's own monitoring calls this connection. */
  readonly name: string;
  readonly logger: Logger;
  /** Ends the waiting for a first connection. */
  readonly signal?: AbortSignal;
}

const FIRST_CONNECTION_RETRY_MS = 500;

/** A dead or frozen server is noticed after at most three pings: the client's default is four minutes. */
const PING_INTERVAL_MS = 2_000;
const PINGS_UNANSWERED = 2;

/**
 * Connects, and keeps trying until there is a server: services start in any order. A lost
 * connection is rebuilt for ever.
 */
export async function connectBus({ servers, name, logger, signal }: BusOptions): Promise<Bus> {
  const options: NodeConnectionOptions = {
    servers: servers.map((server) => server.trim()),
    name,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    reconnectJitterTLS: 100,
    // A credential that is refused today may be accepted after the operator's next change.
    ignoreAuthErrorAbort: true,
    timeout: 2_000,
    noEcho: true,
    // The default takes a stack trace for every request.
    noAsyncTraces: true,
  };
  for (;;) {
    try {
      return new NatsBus(await connect(options), logger);
    } catch (error) {
      logger.warn({ err: error, servers: servers.map(withoutCredentials) }, 'waiting for the bus');
    }
    await delay(FIRST_CONNECTION_RETRY_MS, undefined, signal === undefined ? {} : { signal });
  }
}

function withoutCredentials(server: string): string {
  return server.slice(server.lastIndexOf('@') + 1);
}
