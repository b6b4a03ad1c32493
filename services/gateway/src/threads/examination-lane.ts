import type { ExaminedBody } from '../domain/body-examiner.ts';
import {
  ExaminationThread,
  type ExaminationTask,
  type ExaminationThreadOptions,
} from './examination-thread.ts';

/** One thread, one body at a time. A thread that ended is replaced by the next body's. */
export class ExaminationLane implements AsyncDisposable {
  readonly #options: ExaminationThreadOptions;
  #thread: ExaminationThread | undefined;

  constructor(options: ExaminationThreadOptions) {
    this.#options = options;
  }

  /** `task` is asked for once the thread can take it. Rejects when the thread breaks by itself. */
  async examine(task: () => ExaminationTask): Promise<ExaminedBody> {
    const thread = (this.#thread ??= new ExaminationThread(this.#options));
    try {
      return await thread.examine(task);
    } finally {
      if (thread.over) this.#thread = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.[Symbol.asyncDispose]();
  }
}
