import { connectBus, readOutcomes, type Bus } from '@sluice/bus';
import {
  DEFAULT_SUBJECT_PREFIX,
  FrameKind,
  LedgerRecord,
  attemptOfSubject,
  readFrames,
  subjectsUnder,
  type AttemptRecord,
  type RequestRecord,
} from '@sluice/contracts';
import { createLogger } from '@sluice/service';

export interface StoredRecords {
  readonly requests: readonly RequestRecord[];
  readonly attempts: readonly AttemptRecord[];
}

const subjects = subjectsUnder(DEFAULT_SUBJECT_PREFIX);

/**
 * Observes accepted attempts and reads their records. It does not subscribe to jobs: with its subscription NATS would
 * never report that a dead worker has no subscriber.
 */
export class BusWitness implements AsyncDisposable {
  readonly #bus: Bus;
  #accepted = new Set<string>();

  private constructor(bus: Bus) {
    this.#bus = bus;
    bus.subscribe(subjects.delta('*', '*'), ({ subject, data }) => {
      readFrames(data, (kind) => {
        if (kind === FrameKind.accepted) this.#accepted.add(attemptOfSubject(subject));
      });
    });
  }

  static async connect(natsUrl: string): Promise<BusWitness> {
    const logger = createLogger({ service: 'witness', level: 'silent' });
    const witness = new BusWitness(
      await connectBus({ servers: [natsUrl], name: 'witness', logger }),
    );
    await witness.#bus.flush();
    return witness;
  }

  /** The names of the attempts that were accepted since the last call. */
  takeAccepted(): ReadonlySet<string> {
    const accepted = this.#accepted;
    this.#accepted = new Set();
    return accepted;
  }

  /** Every record of an organization in the ledger's streams, including duplicates. */
  async stored(organization: string): Promise<StoredRecords> {
    const requests: RequestRecord[] = [];
    const attempts: AttemptRecord[] = [];
    const { ledger } = subjects;
    for await (const { text } of readOutcomes(this.#bus, { ledger, organization, sinceMs: 0 })) {
      const record = LedgerRecord.parse(JSON.parse(text));
      if (record.kind === 'request') requests.push(record);
      else attempts.push(record);
    }
    return { requests, attempts };
  }

  get connected(): boolean {
    return this.#bus.connected;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bus[Symbol.asyncDispose]();
  }
}
