import type { Bus, BusMessage } from '@sluice/bus';
import {
  ControlMessage,
  attemptName,
  decodeJob,
  encodeFrames,
  type Frame,
  type JobHeader,
  type Subjects,
} from '@sluice/contracts';
import { heartbeatOf } from '../src/fleet/heartbeat-fixture.ts';

/** A job that the double received. The test sends its frames. */
export class DoubleJob {
  readonly header: JobHeader;
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
  readonly #bus: Bus;
  readonly #reply: string;
  #number = 0;

  constructor(bus: Bus, message: BusMessage) {
    this.header = decodeJob(message.data).header;
    this.headers = message.headers;
    this.name = attemptName(this.header.request, this.header.attempt);
    this.#bus = bus;
    this.#reply = message.reply ?? '';
  }

  send(...frames: Frame[]): void {
    this.sendAs(this.#number, ...frames);
  }

  sendAs(number: number, ...frames: Frame[]): void {
    this.#bus.publish(this.#reply, encodeFrames(number, frames));
    this.#number = number + frames.length;
  }
}

export interface WorkerDoubleOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly id: string;
  readonly onJob: (job: DoubleJob) => void;
  /** Whether cancels and inquiries are acknowledged. They are always recorded. */
  readonly acknowledges?: () => boolean;
  /** Whether it sends heartbeats. */
  readonly announces?: boolean;
}

/** A worker without a runtime. It sends heartbeats and receives jobs; the test sends the frames. */
export class WorkerDouble implements Disposable {
  readonly cancels: string[] = [];
  inquiries = 0;
  readonly #stops: (() => void)[] = [];

  constructor({ bus, subjects, id, onJob, acknowledges, announces = true }: WorkerDoubleOptions) {
    const jobs = bus.subscribe(subjects.job(id), (message) => onJob(new DoubleJob(bus, message)));
    const control = bus.subscribe(subjects.control(id), (message) => {
      const parsed = ControlMessage.parse(message.json);
      if (parsed.kind === 'cancel') this.cancels.push(parsed.attempt);
      else this.inquiries += 1;
      if (acknowledges?.() ?? true) message.respond(Buffer.alloc(0));
    });
    this.#stops.push(
      () => jobs.unsubscribe(),
      () => control.unsubscribe(),
    );
    if (!announces) return;
    const announce = () => {
      if (!bus.connected) return;
      bus.publish(subjects.fleet('default'), Buffer.from(JSON.stringify(heartbeatOf(id))));
    };
    announce();
    const timer = setInterval(announce, 200);
    this.#stops.push(() => clearInterval(timer));
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }
}
