import type { BusMessage } from '@sluice/bus';
import { FrameKind, readFrames } from '@sluice/contracts';
import { ReducedGateway } from '../bus/reduced-gateway.ts';
import { serveDriver, type Running } from '../driver/driver-process.ts';
import type { JobOptions, JobState } from './job-options.ts';

/** Sends jobs and counts the frames that come back. */
class JobLoad implements Running<JobState> {
  readonly #gateway: ReducedGateway;
  readonly #bodies: readonly Buffer[];
  #sent = 0;
  #finished = 0;
  #failed = 0;
  #deltas = 0;
  #messages = 0;
  #stopped = false;

  private constructor(gateway: ReducedGateway, { bodies, jobs }: JobOptions) {
    this.#gateway = gateway;
    this.#bodies = bodies.map((body) => Buffer.from(body));
    for (let job = 0; job < jobs; job += 1) this.#send();
  }

  static async begin(options: JobOptions): Promise<JobLoad> {
    const { natsUrl, stream } = options;
    const gateway = await ReducedGateway.connect({
      natsUrl,
      stream,
      onFrames: (message) => load.#receive(message),
    });
    const load = new JobLoad(gateway, options);
    return load;
  }

  read(): JobState {
    return {
      finished: this.#finished,
      failed: this.#failed,
      deltas: this.#deltas,
      messages: this.#messages,
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#gateway[Symbol.asyncDispose]();
  }

  #send(): void {
    const body = this.#bodies[this.#sent % this.#bodies.length];
    if (body === undefined) throw new RangeError('a load needs at least one body');
    this.#sent += 1;
    this.#gateway.send(String(this.#sent), body);
  }

  #receive(message: BusMessage): void {
    this.#messages += 1;
    readFrames(message.data, (kind) => {
      if (kind === FrameKind.delta) this.#deltas += 1;
      else if (kind === FrameKind.finished) this.#ended('finished');
      else if (kind === FrameKind.failed || kind === FrameKind.refused) this.#ended('failed');
    });
  }

  #ended(outcome: 'finished' | 'failed'): void {
    if (this.#stopped) return;
    if (outcome === 'finished') this.#finished += 1;
    else this.#failed += 1;
    this.#send();
  }
}

serveDriver<JobOptions, JobState>((options) => JobLoad.begin(options));
