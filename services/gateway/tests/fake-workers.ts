import { decodeJob, encodeFrames, readFrames, type Frame, type JobHeader } from '@sluice/contracts';
import { mayStillRun } from '../src/dispatch/attempt-end.ts';
import type { AttemptSender } from '../src/dispatch/attempt-sender.ts';
import type { Attempt } from '../src/dispatch/attempt.ts';
import { accepted, delta, finished, started, usage } from './worker-frames.ts';

/** What a fake worker does with a job. `send` numbers its frames. */
export type FakeWorker = (job: FakeJob) => void | Promise<void>;

export interface FakeJob {
  readonly header: JobHeader;
  readonly body: unknown;
  send(...frames: Frame[]): void;
  /** Sends frames from a given number on, to leave a gap. */
  sendAs(number: number, ...frames: Frame[]): void;
  readonly cancelled: boolean;
}

/** A worker that answers "Hello world", streamed or not. */
export const helloWorker = ({ header, send }: FakeJob): void => {
  send(accepted(), started());
  if (header.stream) send(delta({ content: 'Hello' }), delta({ content: ' world' }));
  else send(delta({ role: 'assistant', content: 'Hello world', refusal: null }));
  send(usage(), finished());
};

/** Delivers jobs to fake workers and frames to attempts, each in a separate turn of the event loop like the bus. */
export class FakeSender implements Pick<
  AttemptSender,
  'connected' | 'offer' | 'waitForReconnect' | 'fleetKnown'
> {
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

  waitForReconnect(): Promise<boolean> {
    return Promise.resolve(this.connected);
  }

  fleetKnown(): Promise<void> {
    return Promise.resolve();
  }
}
