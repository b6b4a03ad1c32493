import { randomUUID } from 'node:crypto';
import { connectBus, type Bus } from '@sluice/bus';
import {
  FrameKind,
  Heartbeat,
  attemptName,
  attemptOfSubject,
  encodeJob,
  mintProcessId,
  readFrames,
  subjectsUnder,
  type JobHeader,
  type Subjects,
  type ControlMessage,
} from '@sluice/contracts';
import { waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { jobHeaderOf } from '../src/attempt/job-header-fixture.ts';

export const silentLogger = createLogger({ service: 'worker-test', level: 'silent' });

const KIND_NAMES = new Map<number, keyof typeof FrameKind>(
  Object.entries(FrameKind).map(([name, kind]) => [kind, name as keyof typeof FrameKind]),
);

export interface ReceivedFrame {
  readonly kind: keyof typeof FrameKind;
  readonly number: number;
  readonly body: unknown;
  /** The number of the bus message with this frame. */
  readonly message: number;
}

/** The frames that arrived for one attempt. */
export class ReceivedAttempt {
  readonly name: string;
  readonly frames: ReceivedFrame[] = [];
  messages = 0;
  /** Whether NATS answered that no worker subscribes to the subject of the job. */
  hasNoWorker = false;

  constructor(name: string) {
    this.name = name;
  }

  kinds(): string[] {
    return this.frames.filter(({ kind }) => kind !== 'tick').map(({ kind }) => kind);
  }

  body(kind: keyof typeof FrameKind): unknown {
    return this.frames.find((frame) => frame.kind === kind)?.body;
  }

  deltas(): Record<string, unknown>[] {
    return this.frames
      .filter(({ kind }) => kind === 'delta')
      .map(({ body }) => body as Record<string, unknown>);
  }

  text(field: 'content' | 'reasoning_content'): string {
    return this.deltas()
      .map((delta) => delta[field])
      .filter((piece) => typeof piece === 'string')
      .join('');
  }

  async until(kind: keyof typeof FrameKind, timeoutMs = 10_000): Promise<this> {
    await waitUntil(() => this.frames.some((frame) => frame.kind === kind), {
      what: `${kind} of ${this.name}; so far ${this.kinds().join(', ')}`,
      timeoutMs,
    });
    return this;
  }

  /** Waits until the attempt has finished, failed or been refused. */
  async untilOver(timeoutMs = 20_000): Promise<this> {
    await waitUntil(
      () => this.frames.some(({ kind }) => ['finished', 'failed', 'refused'].includes(kind)),
      {
        what: `the end of ${this.name}; so far ${this.kinds().join(', ')}`,
        timeoutMs,
      },
    );
    return this;
  }
}

export interface JobOptions {
  readonly header?: Partial<JobHeader>;
  /** Instructions for the simulator. */
  readonly sim?: Record<string, unknown>;
  readonly body?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

/**
 * The double creates the ledger's stream, as a catalog does. Without the stream, each worker that stops waits two
 * seconds for the acknowledgement of its last records.
 */
const LEDGER_BOUNDS = { replicas: 1, maxAgeMs: 3_600_000, maxBytes: 1_048_576 };

/** A test double of a gateway that speaks its protocol. It also stores the ledger. */
export class GatewayDouble implements AsyncDisposable {
  readonly id = mintProcessId();
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly heartbeats: Heartbeat[] = [];
  readonly #attempts = new Map<string, ReceivedAttempt>();
  readonly #ledger: Disposable;

  private constructor(bus: Bus, prefix: string) {
    this.bus = bus;
    this.subjects = subjectsUnder(prefix);
    const { stream, subjects } = this.subjects.outcomes;
    this.#ledger = bus.keepLedgerStream({ stream, subjects: subjects(), ...LEDGER_BOUNDS });
    bus.subscribe(this.subjects.deltas(this.id), (message) => {
      const attempt = this.#attempts.get(attemptOfSubject(message.subject));
      if (attempt === undefined) return;
      if (message.noResponders) {
        attempt.hasNoWorker = true;
        return;
      }
      attempt.messages += 1;
      readFrames(message.data, (kind, number, body) => {
        const text = Buffer.from(body).toString('utf8');
        attempt.frames.push({
          kind: KIND_NAMES.get(kind) ?? 'tick',
          number,
          body: text === '' ? undefined : JSON.parse(text),
          message: attempt.messages,
        });
      });
    });
    bus.subscribe(this.subjects.fleets(), (message) => {
      this.heartbeats.push(Heartbeat.parse(message.json));
    });
  }

  static async connect(url: string, prefix: string): Promise<GatewayDouble> {
    const bus = await connectBus({ servers: [url], name: 'gateway double', logger: silentLogger });
    const double = new GatewayDouble(bus, prefix);
    await bus.flush();
    return double;
  }

  /** Waits for a worker that serves the model, and returns its newest heartbeat. */
  async workerServing(model: string): Promise<Heartbeat> {
    return waitUntil(() => this.heartbeats.findLast(({ models }) => models.includes(model)), {
      what: `a worker that serves ${model}`,
    });
  }

  newest(worker: string): Heartbeat | undefined {
    return this.heartbeats.findLast((heartbeat) => heartbeat.worker === worker);
  }

  send(worker: string, { header, sim, body, headers }: JobOptions = {}): ReceivedAttempt {
    const full = jobHeaderOf({
      gateway: this.id,
      request: randomUUID(),
      organization: 'org-a',
      model: 'sluice-small',
      runtime_model: 'sluice-small',
      ...header,
    });
    const content =
      sim === undefined ? 'Say something.' : `Say something.\n@sim ${JSON.stringify(sim)}`;
    const request = { model: full.model, messages: [{ role: 'user', content }], ...body };
    return this.sendBytes(worker, full, Buffer.from(JSON.stringify(request)), headers);
  }

  sendBytes(
    worker: string,
    header: JobHeader,
    body: Uint8Array,
    headers?: Record<string, string>,
  ): ReceivedAttempt {
    const received = new ReceivedAttempt(attemptName(header.request, header.attempt));
    this.#attempts.set(received.name, received);
    this.bus.publish(this.subjects.job(worker), encodeJob(header, body), {
      reply: this.subjects.delta(this.id, received.name),
      ...(headers === undefined ? {} : { headers }),
    });
    return received;
  }

  async cancel(worker: string, attempt: string, timeoutMs = 10_000): Promise<void> {
    await this.#request(worker, { kind: 'cancel', attempt }, timeoutMs);
  }

  async inquire(worker: string): Promise<void> {
    await this.#request(worker, { kind: 'inquiry' }, 10_000);
  }

  /** Orders a drain or its end, like `sluice drain` and `sluice undrain`. */
  order(worker: string, kind: 'drain' | 'undrain'): void {
    this.bus.publish(this.subjects.control(worker), Buffer.from(JSON.stringify({ kind })));
  }

  async #request(worker: string, message: ControlMessage, timeoutMs: number): Promise<void> {
    const payload = Buffer.from(JSON.stringify(message));
    await this.bus.request(this.subjects.control(worker), payload, { timeoutMs });
  }

  lease(): void {
    this.bus.publish(
      this.subjects.lease(this.id),
      Buffer.from(JSON.stringify({ gateway: this.id })),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ledger[Symbol.dispose]();
    await this.bus[Symbol.asyncDispose]();
  }
}
