import { performance } from 'node:perf_hooks';
import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import {
  traceHeaders,
  tracingEnabled,
  type Logger,
  type TraceSpan,
  TurnBatcher,
} from '@sluice/service';
import type { AdmissionStream } from './admission-stream.ts';
import { FirstReady } from './first-ready.ts';
import { logConnections } from './log-connections.ts';
import { PendingAdmissions } from './pending-admissions.ts';
import { QuotaReplica, type QuotaReplicaState } from './quota-replica.ts';
import { QuotaStub } from './quota-service.ts';
import { rendezvousChoice } from './rendezvous.ts';
import { ReplicaSet } from './replica-set.ts';
import type { ClientTls } from './rpc-tls.ts';
import type { SentAdmission } from './wire/admission-messages.ts';
import { UNAVAILABLE, type NumberedDecision } from './wire/decision-messages.ts';

export interface QuotaClientOptions {
  readonly addresses: readonly string[];
  /** How long an admission may wait for its decision. */
  readonly deadlineMs?: number;
  /**
   * Maximum number of unanswered admissions. Above it, the quota service cannot keep up, and further admissions are
   * `unavailable`.
   */
  readonly maxInFlight?: number;
  /** Undefined means without TLS. */
  readonly tls?: ClientTls | undefined;
  readonly logger: Logger;
}

export interface QuotaClientState {
  readonly replicas: Readonly<Record<string, QuotaReplicaState>>;
  readonly inFlight: number;
  /** By address: why the connection fails, if an operator must act. */
  readonly faults: Readonly<Record<string, string>>;
}

export interface QuotaClient extends AsyncDisposable {
  /**
   * Charges the cost of one request. It is sent at most once, because a repeat could charge it twice. The promise never
   * rejects: an admission that is not decided in time is `unavailable`.
   */
  admit(request: AdmissionRequest, trace?: TraceSpan): Promise<AdmissionDecision>;
  /**
   * Checks the same four limits without charging them. The result is `unavailable` if the replica's store does not
   * answer. Rejects with an RpcError if no replica answers.
   */
  peek(request: AdmissionRequest): Promise<AdmissionDecision>;
  state(): QuotaClientState;
  /** Resolves when the first replica accepts admissions. */
  ready(): Promise<void>;
}

const DEFAULT_DEADLINE_MS = 150;
const DEFAULT_MAX_IN_FLIGHT = 16_384;

interface OutgoingAdmission {
  readonly request: AdmissionRequest;
  readonly traceparent: string;
  readonly since: number;
  readonly resolve: (decision: AdmissionDecision) => void;
}

export function connectQuota(options: QuotaClientOptions): QuotaClient {
  return new StreamingQuotaClient(options);
}

class StreamingQuotaClient implements QuotaClient {
  readonly #deadlineMs: number;
  readonly #maxInFlight: number;
  readonly #connections: ReplicaSet<QuotaStub>;
  readonly #replicas: readonly QuotaReplica[];
  readonly #pending: PendingAdmissions<AdmissionStream>;
  readonly #firstReady = new FirstReady();
  readonly #clock = () => performance.now();
  #up: readonly QuotaReplica[] = [];
  /** The admissions requested during this turn of the event loop. */
  readonly #outbox = new TurnBatcher<OutgoingAdmission>((outgoing) => this.#send(outgoing));
  #closed = false;

  constructor({ addresses, deadlineMs, maxInFlight, tls, logger }: QuotaClientOptions) {
    this.#deadlineMs = deadlineMs ?? DEFAULT_DEADLINE_MS;
    this.#maxInFlight = maxInFlight ?? DEFAULT_MAX_IN_FLIGHT;
    this.#pending = new PendingAdmissions({
      deadlineMs: this.#deadlineMs,
      clock: this.#clock,
      onExpired: ({ carrier, since }) => carrier.missed(since),
    });
    const { onStateChange, onFault } = logConnections<QuotaStub>('quota', logger);
    this.#connections = new ReplicaSet({
      addresses,
      clientClass: QuotaStub,
      tls,
      onFault,
      onStateChange: (connection) => {
        onStateChange(connection);
        const replica = this.#replicas.find(({ address }) => address === connection.address);
        replica?.connectionChanged(connection.state === 'ready');
      },
    });
    this.#replicas = this.#connections.replicas.map(
      (connection) =>
        new QuotaReplica({
          address: connection.address,
          openCall: () => connection.client.admit(),
          clock: this.#clock,
          onStateChange: () => this.#replicaChanged(),
          onDecision: ({ id, decision }) => this.#pending.settle(id, decision),
          onStreamClosed: (stream) => this.#pending.abandon(stream),
          logger,
        }),
    );
  }

  admit(request: AdmissionRequest, trace?: TraceSpan): Promise<AdmissionDecision> {
    if (this.#up.length === 0 || this.#pending.size + this.#outbox.size >= this.#maxInFlight) {
      return Promise.resolve(UNAVAILABLE);
    }
    return new Promise((resolve) => {
      this.#outbox.add({
        request,
        traceparent: traceparentOf(trace),
        since: this.#clock(),
        resolve,
      });
    });
  }

  async peek(request: AdmissionRequest): Promise<AdmissionDecision> {
    const { decision } = await this.#connections.call<NumberedDecision>({
      name: 'quota.Peek',
      deadlineMs: this.#deadlineMs,
      repeatable: true,
      send: (client, ...rest) => client.peek({ id: 0, request, traceparent: '' }, ...rest),
    });
    return decision;
  }

  state(): QuotaClientState {
    return {
      replicas: Object.fromEntries(this.#replicas.map(({ address, state }) => [address, state])),
      inFlight: this.#pending.size,
      faults: Object.fromEntries(
        this.#connections.replicas.flatMap(({ address, fault }) =>
          fault === undefined ? [] : [[address, fault]],
        ),
      ),
    };
  }

  ready(): Promise<void> {
    return this.#firstReady.wait();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#firstReady.abandon();
    for (const replica of this.#replicas) replica.close();
    this.#pending.abandonAll();
    this.#connections[Symbol.dispose]();
  }

  #replicaChanged(): void {
    this.#up = this.#closed ? [] : this.#replicas.filter(({ stream }) => stream !== undefined);
    if (this.#up.length > 0) this.#firstReady.reached();
  }

  /**
   * The replicas to choose from. Replicas that decide at their usual pace are preferred. If all are slow, the cause is
   * the machine or the store, and the replica with the latest message is chosen, because it is the least likely to be
   * frozen. If no replica decides, all are candidates.
   */
  #candidates(): readonly QuotaReplica[] {
    if (this.#up.length <= 1) return this.#up;
    const now = this.#clock();
    const deciding = this.#up.filter((replica) => !replica.isDoubted(now));
    if (deciding.length === 0) return this.#up;
    const prompt = deciding.filter((replica) => !replica.isSlow(now));
    if (prompt.length > 0) return prompt;
    return [
      deciding.reduce((last, next) => (next.lastMessageAt > last.lastMessageAt ? next : last)),
    ];
  }

  #send(outgoing: readonly OutgoingAdmission[]): void {
    const batches = new Map<AdmissionStream, SentAdmission[]>();
    const replicas = this.#candidates();
    for (const { request, traceparent, since, resolve } of outgoing) {
      const stream = rendezvousChoice(request.organization, replicas)?.stream;
      if (stream === undefined) {
        resolve(UNAVAILABLE);
        continue;
      }
      const id = this.#pending.add(stream, since, resolve);
      const admission = { id, request, traceparent };
      const batch = batches.get(stream);
      if (batch === undefined) batches.set(stream, [admission]);
      else batch.push(admission);
    }
    for (const [stream, admissions] of batches) stream.send(admissions);
  }
}

function traceparentOf(trace: TraceSpan | undefined): string {
  if (trace === undefined || !tracingEnabled()) return '';
  return traceHeaders(trace)['traceparent'] ?? '';
}
