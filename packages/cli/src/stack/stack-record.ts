import { errorCode } from '../error-code.ts';
import type { Progress } from './progress.ts';
import { removeRunningStack, writeRunningStack, type RunningStack } from './running-stack.ts';
import type { StateFolder } from './state-folder.ts';

export interface StackRecordOptions {
  readonly folder: StateFolder;
  /** Describes the current state of the stack. */
  readonly describe: () => RunningStack;
  readonly progress: Progress;
}

/** The file through which other commands, and a start after a crash, find a stack and its processes. */
export class StackRecord {
  readonly #options: StackRecordOptions;
  #writing = Promise.resolve();
  #removed = false;

  constructor(options: StackRecordOptions) {
    this.#options = options;
  }

  /** Writes the current state. Writes run one after another, so that the newest state is written last. */
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
      // If the file cannot be written, the stack keeps running. Only other commands cannot find it.
      progress.say(`cannot write to ${folder.path} (${errorCode(error)})`);
    }
  }
}
