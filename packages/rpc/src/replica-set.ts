import {
  connectivityState,
  type ChannelCredentials,
  type ChannelOptions,
  type Client,
} from '@grpc/grpc-js';
import { startSpan, type TraceSpan } from '@sluice/telemetry';
import { CLIENT_SETTINGS } from './channel-settings.ts';
import { ConnectionInquiry } from './connection-inquiry.ts';
import { FirstContact } from './first-contact.ts';
import { knock } from './knock.ts';
import { RpcError } from './rpc-error.ts';
import { channelSecurity, type ClientTls } from './rpc-tls.ts';
import { sendUnary, type UnaryCall } from './unary-call.ts';

export type ConnectionState = 'connecting' | 'ready' | 'failing';

/** A neighbour's replicas by address, for people. */
export type ConnectionStates = Readonly<Record<string, ConnectionState>>;

export interface Replica<GrpcClient extends Client> {
  readonly address: string;
  readonly client: GrpcClient;
  readonly state: ConnectionState;
  /** Why it cannot be connected to, where an operator has to do something about it. */
  readonly fault: string | undefined;
}

export interface ReplicaSetOptions<GrpcClient extends Client> {
  readonly addresses: readonly string[];
  readonly clientClass: new (
    address: string,
    channelCredentials: ChannelCredentials,
    options: ChannelOptions,
  ) => GrpcClient;
  /** Undefined is in the clear. */
  readonly tls: ClientTls | undefined;
  readonly onStateChange?: (replica: Replica<GrpcClient>) => void;
  /** Told of the present fault again and again, until the replica is reached. */
  readonly onFault?: (replica: Replica<GrpcClient>) => void;
  readonly knock?: typeof knock;
}

interface MutableReplica<GrpcClient extends Client> extends Replica<GrpcClient> {
  client: GrpcClient;
  state: ConnectionState;
  fault: string | undefined;
  /** Runs while it is not reached. */
  impatience: NodeJS.Timeout | undefined;
  patienceMs: number;
}

/**
 * gRPC waits for ever for the first word on a connection that was taken, as by a frozen process whose machine is
 * then switched off, and while none is taken, as behind a network that is cut, it asks for one in pauses that grow to
 * a minute. It does not tell that it waits: whoever is not reached for this long is called anew, once it opens.
 */
const FIRST_PATIENCE_MS = 5_000;
/** Twice as long each time: what was given up stays open for as long as the other side is frozen. */
const MOST_PATIENCE_MS = 300_000;
/** For somebody to open: the system repeats a lost packet after a second. */
const KNOCK_PATIENCE_MS = 1_500;
const BETWEEN_KNOCKS_MS = 500;

/** The connections to every replica of one neighbour, each kept up for ever. */
export class ReplicaSet<GrpcClient extends Client> implements Disposable {
  readonly replicas: readonly Replica<GrpcClient>[];
  readonly #replicas: readonly MutableReplica<GrpcClient>[];
  readonly #tls: ClientTls | undefined;
  readonly #makeClient: (address: string) => GrpcClient;
  readonly #onStateChange: ((replica: Replica<GrpcClient>) => void) | undefined;
  readonly #inquiries = new Map<Replica<GrpcClient>, ConnectionInquiry>();
  readonly #firstContact = new FirstContact();
  readonly #knock: typeof knock;
  readonly #closing = new AbortController();
  #turn = 0;

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
    this.#knock = options.knock ?? knock;
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
      impatience: undefined,
      patienceMs: FIRST_PATIENCE_MS,
    }));
    this.replicas = this.#replicas;
    for (const replica of this.#replicas) {
      if (onFault !== undefined) this.#inquiries.set(replica, inquire(replica, tls, onFault));
      this.#keepConnected(replica);
    }
  }

  /** Resolves at the first contact with any replica. */
  ready(): Promise<void> {
    return this.#firstContact.wait();
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
    const candidates = call.repeatable ? this.#inTurn() : this.#inTurn().slice(0, 1);
    for (const [index, replica] of candidates.entries()) {
      const isLast = index + 1 === candidates.length;
      const left = giveUpAt - performance.now();
      // A frozen replica may take half of what is left, so that the next one still has time to answer.
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

  /** Every replica, the connected ones first, beginning with another one each time. */
  #inTurn(): MutableReplica<GrpcClient>[] {
    this.#turn = (this.#turn + 1) % this.#replicas.length;
    const rotated = [...this.#replicas.slice(this.#turn), ...this.#replicas.slice(0, this.#turn)];
    return [
      ...rotated.filter(({ state }) => state === 'ready'),
      ...rotated.filter(({ state }) => state !== 'ready'),
    ];
  }

  /** gRPC lets a lost connection lie idle until the next call: this asks for it at once. */
  #keepConnected(replica: MutableReplica<GrpcClient>): void {
    if (this.#closing.signal.aborted) return;
    const { client } = replica;
    const channel = client.getChannel();
    const present = channel.getConnectivityState(true);
    const state = CONNECTION_STATES[present];
    if (state !== 'ready') {
      replica.impatience ??= this.#lookAfter(replica, replica.patienceMs);
    }
    if (state !== replica.state) {
      replica.state = state;
      if (state === 'ready') this.#reached(replica);
      if (state === 'failing') this.#inquiries.get(replica)?.begin();
      this.#onStateChange?.(replica);
    }
    channel.watchConnectivityState(present, Infinity, () => {
      if (replica.client === client) this.#keepConnected(replica);
    });
  }

  #lookAfter(
    replica: MutableReplica<GrpcClient>,
    delayMs: number,
    { wasShut = false } = {},
  ): NodeJS.Timeout {
    return setTimeout(() => void this.#look(replica, wasShut), delayMs).unref();
  }

  async #look(replica: MutableReplica<GrpcClient>, wasShut: boolean): Promise<void> {
    const { address, impatience } = replica;
    const { signal } = this.#closing;
    const isOpen = await this.#knock(address, { patienceMs: KNOCK_PATIENCE_MS, signal });
    // It was reached meanwhile.
    if (signal.aborted || replica.impatience !== impatience) return;
    if (!isOpen) {
      replica.impatience = this.#lookAfter(replica, BETWEEN_KNOCKS_MS, { wasShut: true });
      return;
    }
    // One that was shut is back, as far as anybody knows, and not frozen.
    replica.patienceMs = wasShut
      ? FIRST_PATIENCE_MS
      : Math.min(2 * replica.patienceMs, MOST_PATIENCE_MS);
    this.#connectAnew(replica);
  }

  #connectAnew(replica: MutableReplica<GrpcClient>): void {
    const { client } = replica;
    replica.impatience = undefined;
    replica.client = this.#makeClient(replica.address);
    client.close();
    this.#keepConnected(replica);
  }

  #reached(replica: MutableReplica<GrpcClient>): void {
    clearTimeout(replica.impatience);
    replica.impatience = undefined;
    replica.patienceMs = FIRST_PATIENCE_MS;
    replica.fault = undefined;
    this.#inquiries.get(replica)?.end();
    this.#firstContact.made();
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.#firstContact.abandon();
    for (const inquiry of this.#inquiries.values()) inquiry[Symbol.dispose]();
    for (const { client, impatience } of this.#replicas) {
      clearTimeout(impatience);
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

function inquire<GrpcClient extends Client>(
  replica: MutableReplica<GrpcClient>,
  tls: ClientTls | undefined,
  onFault: (replica: Replica<GrpcClient>) => void,
): ConnectionInquiry {
  return new ConnectionInquiry({
    client: () => replica.client,
    tls,
    onFault: (reason) => {
      replica.fault = reason;
      onFault(replica);
    },
  });
}
