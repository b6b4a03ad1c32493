import { decodeJob, encodeFrames, readFrames, type Frame, type JobHeader } from '@sluice/contracts';
import type { AttemptCarrier } from '../src/domain/attempt-carrier.ts';
import { mayStillRun } from '../src/domain/attempt-end.ts';
import type { Attempt } from '../src/domain/attempt.ts';
import { accepted, delta, finished, started, usage } from './worker-frames.ts';

/** What a fake worker does with a job: sends frames, numbered by the harness. */
export type FakeWorker = (job: FakeJob) => void | Promise<void>;

export interface FakeJob {
  readonly header: JobHeader;
  readonly body: unknown;
  send(...frames: Frame[]): void;
  /** With a number of its own, to leave a gap. */
  sendAs(number: number, ...frames: Frame[]): void;
  readonly cancelled: boolean;
}

/** Answers "Hello world", streamed or not. */
export const politeWorker = ({ header, send }: FakeJob): void => {
  send(accepted(), started());
  if (header.stream) send(delta({ content: 'Hello' }), delta({ content: ' world' }));
  else send(delta({ role: 'assistant', content: 'Hello world', refusal: null }));
  send(usage(), finished());
};

/** Hands jobs to fake workers and their frames back, each in a turn of its own, as the bus does. */
export class FakeCarrier implements AttemptCarrier {
  connected = true;
  readonly offers: string[] = [];
  readonly cancelled: string[] = [];
  readonly #workers: Readonly<Record<string, FakeWorker>>;

  constructor(workers: Readonly<Record<string, FakeWorker>>) {
    this.#workers = workers;
  }

  offer(attempt: Attempt, payload: Uint8Array): void {
    this.offers.push(attempt.worker);
    const { header, body } = decodeJob(payload);
    let number = 0;
    let over = false;
    const sendAs = (first: number, frames: readonly Frame[]) => {
      const message = encodeFrames(first, frames);
      number = first + frames.length;
      setImmediate(() => readFrames(message, attempt.onFrame));
    };
    void attempt.ended.then((end) => {
      over = true;
      if (mayStillRun(end)) this.cancelled.push(attempt.name);
    });
    void this.#workers[attempt.worker]?.({
      header,
      get body() {
        return JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
      },
      send: (...frames) => sendAs(number, frames),
      sendAs: (first, ...frames) => sendAs(first, frames),
      get cancelled() {
        return over;
      },
    });
  }

  reconnected(): Promise<boolean> {
    return Promise.resolve(this.connected);
  }

  fleetHeard(): Promise<void> {
    return Promise.resolve();
  }
}
