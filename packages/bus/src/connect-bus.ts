import { setTimeout as delay } from 'node:timers/promises';
import { connect, credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';
import { LogDeduplicator, type Logger } from '@sluice/telemetry';
import { anotherServer } from './another-server.ts';
import { parseBusAddresses, type BusAddresses } from './bus-addresses.ts';
import { BusRefusedError } from './bus-errors.ts';
import { tlsOptions, type TlsAccess } from './bus-tls.ts';
import type { Bus } from './bus.ts';
import { NatsBus } from './nats-bus.ts';
import { reconnectPace } from './reconnect-pace.ts';
import { UNTRUSTED_CERTIFICATE, refusalOf } from './refusal.ts';

/** Where the bus is, and what opens it. */
export interface BusAccess extends TlsAccess {
  /** `nats://user:password@host:port`, `tls://…` or `host:port`; any of them will do. */
  readonly servers: readonly string[];
  /** The content of a credentials file. */
  readonly credentials?: Uint8Array | undefined;
}

export interface BusOptions extends BusAccess {
  /** What the server's own monitoring calls this connection. */
  readonly name: string;
  readonly logger: Logger;
  /** What the subjects of its answers begin with: no other user of the server may hear them. */
  readonly inbox?: string;
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
export async function connectBus({
  name,
  logger,
  inbox,
  signal,
  ...access
}: BusOptions): Promise<Bus> {
  const addresses = parseBusAddresses(access.servers);
  const { servers } = addresses;
  const options: NodeConnectionOptions = {
    servers: [...servers],
    ...loginOptions(addresses, access),
    ...tlsOptions(addresses, access),
    name,
    ...(inbox !== undefined && { inboxPrefix: inbox }),
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: reconnectPace(() => performance.now()),
    reconnectToServer: anotherServer(),
    // A credential that is refused today may be accepted after the operator's next change.
    ignoreAuthErrorAbort: true,
    timeout: 2_000,
    noEcho: true,
    // The default takes a stack trace for every request.
    noAsyncTraces: true,
  };
  let refusal: string | undefined;
  // Not at every attempt; but of several servers each may have its own fault.
  const said = new LogDeduplicator();
  for (;;) {
    try {
      return new NatsBus(await connect(options), { logger, inbox });
    } catch (failure) {
      const error = await failureOfListed(failure, options);
      refusal = refusalOf(error);
      const fault =
        refusal === undefined ? 'waiting for the bus' : `the bus ${refusal}; still trying`;
      if (said.shouldLog(fault)) logger.warn({ err: error, servers }, fault);
    }
    try {
      await delay(FIRST_CONNECTION_RETRY_MS, undefined, signal === undefined ? {} : { signal });
    } catch (aborted) {
      throw refusal === undefined ? aborted : new BusRefusedError(refusal, { cause: aborted });
    }
  }
}

/**
 * A server names the others of its cluster before it lets anybody in. They are tried last, at numbers that may not be
 * reached from here, and under the name of the first, to which their certificates need not be made out: that would be
 * told in place of what keeps us out where we were told to go.
 */
async function failureOfListed(failure: unknown, options: NodeConnectionOptions): Promise<unknown> {
  const refusal = refusalOf(failure);
  if (refusal !== undefined && refusal !== UNTRUSTED_CERTIFICATE) return failure;
  try {
    const connection = await connect({ ...options, ignoreClusterUpdates: true });
    await connection.close();
    return failure;
  } catch (failureOfListedAlone) {
    return failureOfListedAlone;
  }
}

function loginOptions(
  { login }: BusAddresses,
  { credentials }: BusAccess,
): Pick<NodeConnectionOptions, 'authenticator' | 'pass' | 'token' | 'user'> {
  if (credentials !== undefined) return { authenticator: credsAuthenticator(credentials) };
  if (login === undefined) return {};
  return 'token' in login ? login : { user: login.user, pass: login.password };
}
