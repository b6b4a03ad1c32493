import { setTimeout as delay } from 'node:timers/promises';
import { connect, credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';
import { LogDeduplicator, type Logger } from '@sluice/service';
import { parseBusAddresses, type BusAddresses } from './bus-addresses.ts';
import { BusRefusedError } from './bus-errors.ts';
import { tlsOptions, type TlsAccess } from './bus-tls.ts';
import type { Bus } from './bus.ts';
import { NatsBus } from './nats-bus.ts';
import { UNTRUSTED_CERTIFICATE, refusalOf } from './nats-error-log.ts';

/** Shortest pause between two connection attempts to one server. A random pause of up to the same length is added. */
const PAUSE_MS = 100;

/**
 * Returns the function that the client calls before every attempt to reconnect. The client compares its result with the
 * time since the last attempt, by the wall clock. If that clock was set back, the client would wait until it reaches
 * the old time again. Therefore, if a full pause has passed by the monotonic clock, the result allows the attempt at
 * once.
 */
export function reconnectPace(clock: () => number): () => number {
  let askedAt = -Infinity;
  return () => {
    const now = clock();
    const hasPaused = now - askedAt >= PAUSE_MS;
    askedAt = now;
    return hasPaused ? -Infinity : PAUSE_MS + Math.random() * PAUSE_MS;
  };
}

type ChooseServer = NonNullable<NodeConnectionOptions['reconnectToServer']>;

/**
 * With several servers, the next attempt always goes to a different one. By default the client first retries the server
 * that it has just lost. If that server is frozen or its machine is down, the attempt ends only with a timeout.
 */
function anotherServer(): ChooseServer {
  let last: string | undefined;
  return (servers) => {
    const next = servers.find(({ listen }) => listen !== last) ?? servers[0];
    last = next?.listen;
    return next ?? null;
  };
}

/** The servers of the bus and the login for them. */
export interface BusAccess extends TlsAccess {
  /** `nats://user:password@host:port`, `tls://…` or `host:port`. The client connects to one of them. */
  readonly servers: readonly string[];
  /** The content of a credentials file. */
  readonly credentials?: Uint8Array | undefined;
}

export interface BusOptions extends BusAccess {
  /** The name of this connection in the server's monitoring. */
  readonly name: string;
  readonly logger: Logger;
  /** Prefix of the reply subjects. No other user of the server may be permitted to subscribe to it. */
  readonly inbox?: string;
  /** Stops waiting for the first connection. */
  readonly signal?: AbortSignal;
}

const CONNECT_TIMEOUT_MS = 2_000;
const FIRST_CONNECTION_RETRY_MS = 500;

/** A dead or frozen server is noticed after at most three pings (6 s). The client's default takes four minutes. */
const PING_INTERVAL_MS = 2_000;
const PINGS_UNANSWERED = 2;

/**
 * Connects, and retries until a server is available, so services can start in any order. A lost connection is restored
 * with an unlimited number of attempts.
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
    // Credentials that are refused now may be accepted after the operator changes them.
    ignoreAuthErrorAbort: true,
    timeout: CONNECT_TIMEOUT_MS,
    noEcho: true,
    // By default the client captures a stack trace for every request.
    noAsyncTraces: true,
  };
  let refusal: string | undefined;
  // Each fault is logged once, and not at every attempt. Several servers may have different faults.
  const logged = new LogDeduplicator();
  for (;;) {
    try {
      return new NatsBus(await connect(options), { logger, inbox });
    } catch (failure) {
      const error = await failureOfConfiguredServers(failure, options);
      refusal = refusalOf(error);
      const fault =
        refusal === undefined ? 'waiting for the bus' : `the bus ${refusal}; still trying`;
      if (logged.shouldLog(fault)) logger.warn({ err: error, servers }, fault);
    }
    try {
      await delay(FIRST_CONNECTION_RETRY_MS, undefined, signal === undefined ? {} : { signal });
    } catch (aborted) {
      throw refusal === undefined ? aborted : new BusRefusedError(refusal, { cause: aborted });
    }
  }
}

/**
 * Repeats a failed connection with the configured servers alone, to report their error. A server names the members of
 * its cluster before it authenticates the client, and the client tries these members last. It uses their IP addresses,
 * which may be unreachable from here, and checks their certificates against the first server's name. The error of such
 * an attempt would hide the error of the configured servers.
 */
async function failureOfConfiguredServers(
  failure: unknown,
  options: NodeConnectionOptions,
): Promise<unknown> {
  const refusal = refusalOf(failure);
  if (refusal !== undefined && refusal !== UNTRUSTED_CERTIFICATE) return failure;
  try {
    const connection = await connect({ ...options, ignoreClusterUpdates: true });
    await connection.close();
    return failure;
  } catch (ownFailure) {
    return ownFailure;
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
