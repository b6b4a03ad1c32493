import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../runner/wait-until.ts';

/** tmux runs this with sh, which does not pass on the prompt of its own environment. */
const SHELL = 'env "PS1=$ " bash --norc --noprofile';
/** After Ctrl-C, the prompt is on the line of the command that was interrupted. */
const PROMPT = /^(?:\^C)?\$$/;
const COLUMNS = 80;
const ROWS = 200;
const EVERY_MS = 100;
const COMMAND_MS = 60_000;
/** A program that writes nothing for this long waits for a key. */
const QUIET_MS = 2_000;

/** A shell on a terminal of 80 columns. https://man.openbsd.org/tmux.1 */
export class TmuxWindow {
  readonly #server: string;
  #linesAtKey = 0;

  /** Starts a tmux server with this name, so that the windows of the person at this machine are not touched. */
  constructor(server: string, environment: Readonly<Record<string, string>>) {
    this.#server = server;
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
    // The server passes on the environment in which it was started.
    execFileSync('tmux', ['-L', server, '-f', '/dev/null', 'new-session', '-d', ...size, SHELL], {
      env: { ...process.env, ...environment },
    });
  }

  close(): void {
    this.#tmux('kill-server');
  }

  clear(): void {
    this.#tmux('send-keys', '-R', 'C-l');
    this.#tmux('clear-history');
  }

  /** Writes text as if it were typed, and then Enter. */
  type(text: string): void {
    this.write(text);
    this.keys(['Enter']);
  }

  /** Writes text as if it were typed, without Enter. */
  write(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** Presses keys such as `Enter` or `C-c`. */
  keys(names: readonly string[]): void {
    this.#linesAtKey = this.lines().length;
    this.#tmux('send-keys', ...names);
  }

  /** The lines on the screen, without the empty ones at its end. */
  lines(): string[] {
    const text = this.#tmux('capture-pane', '-p', '-S', '-');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd());
  }

  /** Resolves when the shell waits for the next command. */
  async prompt(): Promise<void> {
    await waitUntil(() => PROMPT.test(this.lines().at(-1) ?? ''), {
      what: `the end of a command:\n${this.lines().join('\n')}`,
      timeoutMs: COMMAND_MS,
      everyMs: EVERY_MS,
    });
  }

  /** Resolves when something has been written since the last key, and the screen no longer changes. */
  async quiet(): Promise<void> {
    await waitUntil(() => this.lines().length > this.#linesAtKey, {
      what: 'a program to write',
      timeoutMs: COMMAND_MS,
      everyMs: EVERY_MS,
    });
    let before = '';
    for (let quietMs = 0; quietMs < QUIET_MS; quietMs += EVERY_MS) {
      await delay(EVERY_MS);
      const now = this.lines().join('\n');
      if (now !== before) quietMs = 0;
      before = now;
    }
  }

  #tmux(...parameters: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#server, ...parameters], { encoding: 'utf8' });
  }
}
