import { setTimeout as delay } from 'node:timers/promises';
import { connectBus, openOutcomeLedger, type OutcomeLedger } from '@sluice/bus';
import {
  CONTRACT_VERSION,
  DEFAULT_SUBJECT_PREFIX,
  HEARTBEAT_INTERVAL_MS,
  subjectsUnder,
  type AttemptRecord,
  type Heartbeat,
  type RequestRecord,
} from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { madeRecords } from './made-records.ts';

const TICK_MS = 10;
const MARK_EVERY_MS = 250;
const STREAM_BYTES = 8_000_000_000;
const STREAM_AGE_MS = 3_600_000;
const SETTLED_WITHIN_MS = 60_000;

/** Its requests are looked for while the load runs. */
export const MARKED = 'marked-organization';
export const WORKER = 'gpu-bench';

/** Writes made-up records into the real ledger, and heartbeats of a worker, as gateways and workers do. */
export class LedgerLoad implements AsyncDisposable {
  readonly #running: AsyncDisposable;
  readonly #ledger: OutcomeLedger<RequestRecord | AttemptRecord>;
  readonly #organizations: number;
  /** When each request of the marked organization was recorded. */
  readonly marks = new Map<string, number>();
  requests = 0;

  static async start(natsUrl: string, organizations: number): Promise<LedgerLoad> {
    await using starting = new AsyncDisposableStack();
    const logger = createLogger({ service: 'bench', level: 'silent' });
    const bus = starting.use(await connectBus({ servers: [natsUrl], name: 'bench', logger }));
    const subjects = subjectsUnder(DEFAULT_SUBJECT_PREFIX);
    for (const kept of subjects.ledger) {
      starting.use(
        bus.keepLedgerStream({
          stream: kept.stream,
          subjects: kept.subjects(),
          replicas: 1,
          maxAgeMs: STREAM_AGE_MS,
          maxBytes: STREAM_BYTES,
        }),
      );
    }
    const place = subjects.outcomes;
    const ledger = starting.use(openOutcomeLedger<RequestRecord | AttemptRecord>({ bus, place }));
    const beat = () =>
      bus.publish(subjects.fleet('default'), Buffer.from(JSON.stringify(HEARTBEAT)));
    const beating = setInterval(beat, HEARTBEAT_INTERVAL_MS);
    starting.defer(() => clearInterval(beating));
    return new LedgerLoad(starting.move(), ledger, organizations);
  }

  private constructor(
    running: AsyncDisposable,
    ledger: OutcomeLedger<RequestRecord | AttemptRecord>,
    organizations: number,
  ) {
    this.#running = running;
    this.#ledger = ledger;
    this.#organizations = organizations;
  }

  /** Records this many requests a second, each with an attempt. A few organizations are busy, and most are quiet. */
  async run(rate: number, seconds: number): Promise<void> {
    const startedAt = performance.now();
    let written = 0;
    let markedAt = -Infinity;
    for (;;) {
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs >= seconds * 1_000) return;
      for (; written < (rate * elapsedMs) / 1_000; written += 1) {
        this.#write(`organization-${Math.floor(this.#organizations * Math.random() ** 3)}`);
      }
      if (elapsedMs - markedAt >= MARK_EVERY_MS) {
        this.marks.set(this.#write(MARKED), performance.now());
        markedAt = elapsedMs;
      }
      await delay(TICK_MS);
    }
  }

  /** Waits until the stream holds everything. */
  async settled(): Promise<void> {
    const giveUpAt = performance.now() + SETTLED_WITHIN_MS;
    while (this.#ledger.counts.pending > 0) {
      if (performance.now() > giveUpAt) throw new Error('NATS does not store the records');
      await delay(TICK_MS);
    }
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#running[Symbol.asyncDispose]();
  }

  #write(organization: string): string {
    const { request, attempt } = madeRecords(organization, Date.now());
    this.#ledger.record(request);
    this.#ledger.record(attempt);
    this.requests += 1;
    return request.id;
  }
}

const HEARTBEAT: Heartbeat = {
  worker: 'default.w_bench',
  worker_name: WORKER,
  pool: 'default',
  host: 'machine-1',
  runtime: '127.0.0.1:8000',
  contract: CONTRACT_VERSION,
  version: '0.0.0',
  models: ['large'],
  draining: false,
  load: { slots: 1, running: 0, queued: 0, queue_limit: 1 },
  service_ms: null,
  generated_tokens: 0,
  runtime_load: null,
};
