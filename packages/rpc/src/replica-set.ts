import {
  connectivityState,
  type ChannelCredentials,
  type ChannelOptions,
  type Client,
} from '@grpc/grpc-js';
import { startSpan, type TraceSpan } from '@sluice/service';
import { probeTcp } from './address.ts';
import { CLIENT_SETTINGS } from './channel-settings.ts';
import { ConnectionCheck } from './connection-check.ts';
import { FirstReady } from './first-ready.ts';
import { RpcError } from './rpc-error.ts';
import { channelSecurity, type ClientTls } from './rpc-tls.ts';
import { sendUnary, type UnaryCall } from './unary.ts';

export type ConnectionState = 'connecting' | 'ready' | 'failing';

/** The connection state of each replica of a service by address, for display. */
export type ConnectionStates = Readonly<Record<string, ConnectionState>>;

export interface Replica<GrpcClient extends Client> {
  readonly address: string;
  readonly client: GrpcClient;
  readonly state: ConnectionState;
  /** Why the connection fails, if an operator must act. */
  readonly fault: string | undefined;
}

export interface ReplicaSetOptions<GrpcClient extends Client> {
  readonly addresses: readonly string[];
  readonly clientClass: new (
    address: string,
    channelCredentials: ChannelCredentials,
    options: ChannelOptions,
  ) => GrpcClient;
  /** Undefined means without TLS. */
  readonly tls: ClientTls | undefined;
  readonly onStateChange?: (replica: Replica<GrpcClient>) => void;
  /** Called repeatedly with the current fault, until the replica is reached. */
  readonly onFault?: (replica: Replica<GrpcClient>) => void;
  readonly probeTcp?: typeof probeTcp;
}

interface MutableReplica<GrpcClient extends Client> extends Replica<GrpcClient> {
  client: GrpcClient;
  state: ConnectionState;
  fault: string | undefined;
  /** Runs while the replica is not ready. */
  readyTimer: NodeJS.Timeout | undefined;
  readyTimeoutMs: number;
}

/**
 * If a replica is not READY within this time, its channel is recreated as soon as a TCP connection can be made. gRPC
 * waits without a limit for the first data on an accepted connection: see tests/unanswered-connection.test.ts. A frozen
 * process whose machine is then switched off leaves its clients in this state. If the network is cut, the pauses
 * between connection requests grow to a minute. gRPC reports neither of these waits.
 */
const FIRST_READY_TIMEOUT_MS = 5_000;
/** The timeout doubles up to this limit, because an abandoned connection stays open while the other side is frozen. */
const MAX_READY_TIMEOUT_MS = 300_000;
/** Timeout of a TCP probe. It is longer than a second, after which the system repeats a lost packet. */
const PROBE_TIMEOUT_MS = 1_500;
const BETWEEN_PROBES_MS = 500;

/** The connections to all replicas of one service. A lost connection is retried without a limit. */
export class ReplicaSet<GrpcClient extends Client> implements Disposable {
  readonly replicas: readonly Replica<GrpcClient>[];
  readonly #replicas: readonly MutableReplica<GrpcClient>[];
  readonly #tls: ClientTls | undefined;
  readonly #makeClient: (address: string) => GrpcClient;
  readonly #onStateChange: ((replica: Replica<GrpcClient>) => void) | undefined;
  readonly #checks = new Map<Replica<GrpcClient>, ConnectionCheck>();
  readonly #firstReady = new FirstReady();
  readonly #probeTcp: typeof probeTcp;
  readonly #closing = new AbortController();
  /** Index of the replica with which the last call began. */
  #first = 0;

  constructor({
    addresses,
    clientClass: GrpcClientClass,
    tls,
    onStateChange,
    onFault,
    ...options
  }: ReplicaSetOptions<GrpcClient>) {
    if (addresses.length === 0) throw new RpcError('invalid_argument', 'no address was given');
    this.#tls = tls;
    this.#onStateChange = onStateChange;
    this.#probeTcp = options.probeTcp ?? probeTcp;
    this.#makeClient = (address) => {
      const security = channelSecurity(address, tls);
      const settings = { ...CLIENT_SETTINGS, ...security.options };
      return new GrpcClientClass(address, security.channelCredentials, settings);
    };
    this.#replicas = addresses.map((address) => ({
      address,
      client: this.#makeClient(address),
      state: 'connecting',
      fault: undefined,
      readyTimer: undefined,
      readyTimeoutMs: FIRST_READY_TIMEOUT_MS,
    }));
    this.replicas = this.#replicas;
    for (const replica of this.#replicas) {
      if (onFault !== undefined) this.#checks.set(replica, startChecks(replica, tls, onFault));
      this.#keepConnected(replica);
    }
  }

  /** Resolves when any replica is reached for the first time. */
  ready(): Promise<void> {
    return this.#firstReady.wait();
  }

  states(): ConnectionStates {
    return Object.fromEntries(this.replicas.map(({ address, state }) => [address, state]));
  }

  async call<Reply>(call: UnaryCall<GrpcClient, Reply>): Promise<Reply> {
    const span = startSpan(call.name, { role: 'client', parent: call.trace?.context });
    try {
      const reply = await this.#tryReplicas(call, span);
      span.end();
      return reply;
    } catch (error) {
      span.end(error);
      throw error;
    }
  }

  async #tryReplicas<Reply>(call: UnaryCall<GrpcClient, Reply>, span: TraceSpan): Promise<Reply> {
    const giveUpAt = performance.now() + call.deadlineMs;
    const candidates = call.repeatable ? this.#rotated() : this.#rotated().slice(0, 1);
    for (const [index, replica] of candidates.entries()) {
      const isLast = index + 1 === candidates.length;
      const left = giveUpAt - performance.now();
      // Any replica but the last may use half of the remaining time, so that the next one still has time to answer.
      const deadline = Date.now() + (isLast ? left : left / 2);
      try {
        return await sendUnary(replica.client, call, { deadline, span, tls: this.#tls });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        replica.fault = error.connectionFault;
        if (isLast || !UNREACHED.has(error.code)) throw error;
      }
    }
    throw new RpcError('unavailable', 'no replica was reached');
  }

  /** All replicas, ready ones first. Each call begins with a different replica. */
  #rotated(): MutableReplica<GrpcClient>[] {
    this.#first = (this.#first + 1) % this.#replicas.length;
    const rotated = [...this.#replicas.slice(this.#first), ...this.#replicas.slice(0, this.#first)];
    return [
      ...rotated.filter(({ state }) => state === 'ready'),
      ...rotated.filter(({ state }) => state !== 'ready'),
    ];
  }

  /** By default gRPC leaves a lost connection idle until the next call. This method reconnects at once. */
  #keepConnected(replica: MutableReplica<GrpcClient>): void {
    if (this.#closing.signal.aborted) return;
    const { client } = replica;
    const channel = client.getChannel();
    const grpcState = channel.getConnectivityState(true);
    const state = CONNECTION_STATES[grpcState];
    if (state !== 'ready') {
      replica.readyTimer ??= this.#probeAfter(replica, replica.readyTimeoutMs);
    }
    if (state !== replica.state) {
      replica.state = state;
      if (state === 'ready') this.#reached(replica);
      if (state === 'failing') this.#checks.get(replica)?.begin();
      this.#onStateChange?.(replica);
    }
    channel.watchConnectivityState(grpcState, Infinity, () => {
      if (replica.client === client) this.#keepConnected(replica);
    });
  }

  #probeAfter(
    replica: MutableReplica<GrpcClient>,
    delayMs: number,
    { wasRefused = false } = {},
  ): NodeJS.Timeout {
    return setTimeout(() => void this.#probe(replica, { wasRefused }), delayMs).unref();
  }

  /** Recreates the channel of a replica that is not READY, if a TCP connection to it can be made. */
  async #probe(
    replica: MutableReplica<GrpcClient>,
    { wasRefused }: { wasRefused: boolean },
  ): Promise<void> {
    const { address, readyTimer } = replica;
    const { signal } = this.#closing;
    const isOpen = await this.#probeTcp(address, { timeoutMs: PROBE_TIMEOUT_MS, signal });
    // The replica was reached or the set was closed during the probe.
    if (signal.aborted || replica.readyTimer !== readyTimer) return;
    if (!isOpen) {
      replica.readyTimer = this.#probeAfter(replica, BETWEEN_PROBES_MS, { wasRefused: true });
      return;
    }
    // A replica that refused the probe and now accepts it was probably restarted, not frozen.
    replica.readyTimeoutMs = wasRefused
      ? FIRST_READY_TIMEOUT_MS
      : Math.min(2 * replica.readyTimeoutMs, MAX_READY_TIMEOUT_MS);
    this.#recreateChannel(replica);
  }

  #recreateChannel(replica: MutableReplica<GrpcClient>): void {
    const { client } = replica;
    replica.readyTimer = undefined;
    replica.client = this.#makeClient(replica.address);
    client.close();
    this.#keepConnected(replica);
  }

  #reached(replica: MutableReplica<GrpcClient>): void {
    clearTimeout(replica.readyTimer);
    replica.readyTimer = undefined;
    replica.readyTimeoutMs = FIRST_READY_TIMEOUT_MS;
    replica.fault = undefined;
    this.#checks.get(replica)?.end();
    this.#firstReady.reached();
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.#firstReady.abandon();
    for (const check of this.#checks.values()) check[Symbol.dispose]();
    for (const { client, readyTimer } of this.#replicas) {
      clearTimeout(readyTimer);
      client.close();
    }
  }
}

const UNREACHED: ReadonlySet<RpcError['code']> = new Set(['unavailable', 'deadline_exceeded']);

const CONNECTION_STATES: Readonly<Record<connectivityState, ConnectionState>> = {
  [connectivityState.IDLE]: 'connecting',
  [connectivityState.CONNECTING]: 'connecting',
  [connectivityState.READY]: 'ready',
  [connectivityState.TRANSIENT_FAILURE]: 'failing',
  [connectivityState.SHUTDOWN]: 'failing',
};

function startChecks<GrpcClient extends Client>(
  replica: MutableReplica<GrpcClient>,
  tls: ClientTls | undefined,
  onFault: (replica: Replica<GrpcClient>) => void,
): ConnectionCheck {
  return new ConnectionCheck({
    client: () => replica.client,
    tls,
    onFault: (reason) => {
      replica.fault = reason;
      onFault(replica);
    },
  });
}
