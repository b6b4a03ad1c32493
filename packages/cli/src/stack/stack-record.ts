import { errorCode } from '../error-code.ts';
import type { Progress } from './progress.ts';
import { removeRunningStack, writeRunningStack, type RunningStack } from './running-stack.ts';
import type { StateFolder } from './state-folder.ts';

export interface StackRecordOptions {
  readonly folder: StateFolder;
  /** The stack as it is when it is asked for. */
  readonly describe: () => RunningStack;
  readonly progress: Progress;
}

/** The file by which other commands, and a start after a crash, find a stack and every process of it. */
export class StackRecord {
  readonly #options: StackRecordOptions;
  #writing = Promise.resolve();
  #removed = false;

  constructor(options: StackRecordOptions) {
    this.#options = options;
  }

  /** Something has changed. Writes follow each other, so that the last word stays. */
  update(): void {
    this.#writing = this.#writing.then(() => this.#write());
  }

  async remove(): Promise<void> {
    this.#removed = true;
    await this.#writing;
    await removeRunningStack(this.#options.folder.runningFile);
  }

  async #write(): Promise<void> {
    if (this.#removed) return;
    const { folder, describe, progress } = this.#options;
    try {
      await writeRunningStack(folder.runningFile, describe());
    } catch (error) {
      // The folder was taken away: what runs goes on, and only other commands cannot find it.
      progress.say(`cannot write to ${folder.path} (${errorCode(error)})`);
    }
  }
}
