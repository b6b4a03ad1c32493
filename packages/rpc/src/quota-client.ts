import { performance } from 'node:perf_hooks';
import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { traceHeaders, tracingEnabled, type Logger, type TraceSpan } from '@sluice/telemetry';
import { TurnBatcher } from '@sluice/timing';
import type { AdmissionStream } from './admission-stream.ts';
import { FirstContact } from './first-contact.ts';
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
  /** More than this many unanswered admissions are not sent: the limiter is not keeping up. */
  readonly maxInFlight?: number;
  /** Undefined is in the clear. */
  readonly tls?: ClientTls | undefined;
  readonly logger: Logger;
}

export interface QuotaClientState {
  readonly replicas: Readonly<Record<string, QuotaReplicaState>>;
  readonly inFlight: number;
  /** By address: why there is no connection, where an operator has to do something about it. */
  readonly faults: Readonly<Record<string, string>>;
}

export interface QuotaClient extends AsyncDisposable {
  /**
   * Asks for the cost of one request. Sent once at most, since sending it again could charge it twice. Never rejects:
   * what cannot be decided in time is `unavailable`.
   */
  admit(request: AdmissionRequest, trace?: TraceSpan): Promise<AdmissionDecision>;
  /**
   * The same look at the four limits, at no cost. `unavailable` is the word of a replica whose store is; rejects with
   * an RpcError where none answers.
   */
  peek(request: AdmissionRequest): Promise<AdmissionDecision>;
  state(): QuotaClientState;
  /** Resolves when the first replica takes admissions. */
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
  readonly #firstContact = new FirstContact();
  readonly #now = () => performance.now();
  #up: readonly QuotaReplica[] = [];
  /** What this turn of the event loop asked for. */
  readonly #outbox = new TurnBatcher<OutgoingAdmission>((outgoing) => this.#send(outgoing));
  #closed = false;

  constructor({ addresses, deadlineMs, maxInFlight, tls, logger }: QuotaClientOptions) {
    this.#deadlineMs = deadlineMs ?? DEFAULT_DEADLINE_MS;
    this.#maxInFlight = maxInFlight ?? DEFAULT_MAX_IN_FLIGHT;
    this.#pending = new PendingAdmissions({
      deadlineMs: this.#deadlineMs,
      now: this.#now,
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
          now: this.#now,
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
        since: this.#now(),
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
    return this.#firstContact.wait();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#firstContact.abandon();
    for (const replica of this.#replicas) replica.close();
    this.#pending.abandonAll();
    this.#connections[Symbol.dispose]();
  }

  #replicaChanged(): void {
    this.#up = this.#closed ? [] : this.#replicas.filter(({ stream }) => stream !== undefined);
    if (this.#up.length > 0) this.#firstContact.made();
  }

  /**
   * Those that decide, and at their usual pace. Where all that decide are slow, the machine or the store is; the one
   * that was heard last is the least likely to be frozen. Where none decides, one is as good as another.
   */
  #trusted(): readonly QuotaReplica[] {
    if (this.#up.length <= 1) return this.#up;
    const now = this.#now();
    const deciding = this.#up.filter((replica) => !replica.isDoubted(now));
    if (deciding.length === 0) return this.#up;
    const prompt = deciding.filter((replica) => !replica.isSlow(now));
    if (prompt.length > 0) return prompt;
    return [deciding.reduce((last, next) => (next.heardAt > last.heardAt ? next : last))];
  }

  #send(outgoing: readonly OutgoingAdmission[]): void {
    const batches = new Map<AdmissionStream, SentAdmission[]>();
    const replicas = this.#trusted();
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
