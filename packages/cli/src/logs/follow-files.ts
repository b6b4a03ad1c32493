import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 250;
const CHUNK_BYTES = 65_536;

/** A file that another process appends to. */
interface Source {
  readonly name: string;
  readonly path: string;
}

/** Reads what is appended to log files. A file that was replaced or cut is read from its start. */
export class LogTail {
  readonly #source: Source;
  #position = 0;
  #inode: number | undefined;
  #decoder = new TextDecoder();
  #rest = '';

  constructor(source: Source) {
    this.#source = source;
  }

  get name(): string {
    return this.#source.name;
  }

  /** The lines since the last call. */
  async lines(): Promise<string[]> {
    let file: FileHandle;
    try {
      file = await open(this.#source.path);
    } catch {
      // A process that has not been started has no file yet.
      return [];
    }
    try {
      const { size, ino } = await file.stat();
      const isReplaced = this.#inode !== undefined && this.#inode !== ino;
      if (isReplaced || size < this.#position) this.#restart();
      this.#inode = ino;
      return await this.#read(file);
    } finally {
      await file.close();
    }
  }

  #restart(): void {
    this.#position = 0;
    this.#rest = '';
    this.#decoder = new TextDecoder();
  }

  async #read(file: FileHandle): Promise<string[]> {
    const lines: string[] = [];
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) return lines;
      this.#position += bytesRead;
      const text =
        this.#rest + this.#decoder.decode(chunk.subarray(0, bytesRead), { stream: true });
      const complete = text.split('\n');
      this.#rest = complete.pop() ?? '';
      for (const line of complete) if (line !== '') lines.push(line);
    }
  }
}

/** Calls `onLines` with new lines of each file until the signal is aborted. */
export async function followFiles(
  tails: readonly LogTail[],
  { signal, onLines }: { signal: AbortSignal; onLines: (name: string, lines: string[]) => void },
): Promise<void> {
  while (!signal.aborted) {
    for (const tail of tails) onLines(tail.name, await tail.lines());
    await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
