import { createInterface, type Interface } from 'node:readline';
import { CommandFailure, type Terminal } from '../command.ts';
import { harmlessLine } from '../harmless-text.ts';
import { AnswerError } from './answer.ts';
import { chatCommand } from './chat-command.ts';
import { Conversation, type ChatOptions } from './conversation.ts';
import { requestAnswer } from './request-answer.ts';
import { AnswerDisplay, costText } from './show-answer.ts';

export interface ChatSessionOptions extends ChatOptions {
  readonly apiRoot: string;
  /** Returns a credential that does not expire soon. */
  readonly credential: () => Promise<string>;
  readonly terminal: Terminal;
  /** Whether notes and reasoning are dimmed. By default they are on a terminal. */
  readonly colour?: boolean | undefined;
}

const PROMPT = '> ';

/**
 * Runs the chat until the input ends, or until Ctrl-C while no answer is streaming. Returns the number of turns without
 * an answer.
 */
export async function chatSession(options: ChatSessionOptions): Promise<number> {
  const { terminal } = options;
  const session = new ChatSession(options);
  const lines = createInterface({
    input: terminal.input,
    ...(terminal.interactive ? { output: terminal.output, terminal: true } : {}),
  });
  const onInterrupt = () => {
    if (!session.interrupt()) lines.close();
  };
  // Emitted when the reader of the output has closed it.
  terminal.output.on('error', () => {
    session.leave();
    lines.close();
  });
  // On a terminal, readline receives Ctrl-C instead of the process:
  // https://nodejs.org/docs/latest-v24.x/api/readline.html#event-sigint
  lines.on('SIGINT', onInterrupt);
  const stopListening = terminal.onInterrupt(onInterrupt);
  try {
    return await session.run(new LineReader(lines, terminal));
  } finally {
    stopListening();
    lines.close();
  }
}

class LineReader {
  readonly #lines: Interface;
  readonly #waiting: string[] = [];
  readonly #terminal: Terminal;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(lines: Interface, terminal: Terminal) {
    this.#lines = lines;
    this.#terminal = terminal;
    lines.on('line', (line) => {
      this.#waiting.push(line);
      this.#wake?.();
    });
    lines.on('close', () => {
      this.#closed = true;
      this.#wake?.();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Undefined when the input has ended. */
  async next(prompt: string): Promise<string | undefined> {
    if (this.#terminal.interactive && !this.#closed) {
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
    }
    while (this.#waiting.length === 0 && !this.#closed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return this.#waiting.shift();
  }
}

class ChatSession {
  readonly #options: ChatSessionOptions;
  readonly #conversation: Conversation;
  readonly #display: AnswerDisplay;
  #answering: AbortController | undefined;
  #unanswered = 0;
  #left = false;

  constructor(options: ChatSessionOptions) {
    this.#options = options;
    this.#conversation = new Conversation(options);
    this.#display = new AnswerDisplay(options.terminal, options);
  }

  /** Stops the current answer. If there is none, or if it has been stopped already, returns false and ends the session. */
  interrupt(): boolean {
    const answering = this.#answering;
    if (answering !== undefined && !answering.signal.aborted) {
      answering.abort();
      return true;
    }
    this.#left = true;
    return false;
  }

  /** Ends the session because the output was closed. */
  leave(): void {
    this.#left = true;
    this.#answering?.abort();
  }

  async run(lines: LineReader): Promise<number> {
    for (;;) {
      const line = await lines.next(PROMPT);
      if (line === undefined || this.#left) break;
      if (line.trim() === '') continue;
      if (this.#options.terminal.interactive && line.startsWith('/')) {
        if (line.trim() === '/exit') break;
        this.#display.note(chatCommand(line, this.#conversation));
        continue;
      }
      this.#conversation.ask(line);
      if (!(await this.#turn(lines))) {
        this.#conversation.forgetTurn();
        this.#unanswered += 1;
      }
    }
    if (this.#options.terminal.interactive) this.#options.terminal.output.write('\n');
    return this.#unanswered;
  }

  /**
   * Runs one turn: asks for an answer and for the result of each tool call in it, until an answer has no tool calls.
   */
  async #turn(lines: LineReader): Promise<boolean> {
    for (;;) {
      const calls = await this.#answer();
      if (calls === undefined) return false;
      if (calls.length === 0) return true;
      for (const call of calls) {
        const result = await lines.next(`${harmlessLine(call.function.name)} = `);
        if (result === undefined || this.#left) return false;
        this.#conversation.add({ role: 'tool', tool_call_id: call.id, content: result });
      }
    }
  }

  async #answer() {
    const { apiRoot, credential } = this.#options;
    const answering = new AbortController();
    this.#answering = answering;
    try {
      const { answer, headers } = await requestAnswer({
        apiRoot,
        credential: await credential(),
        body: this.#conversation.requestBody(),
        observer: this.#display,
        signal: answering.signal,
      });
      this.#conversation.add(answer.message);
      for (const call of answer.calls) this.#display.call(call);
      if (answer.finishReason === 'length') this.#display.note('(cut off at the maximum length)');
      this.#display.note(costText(answer.usage, headers));
      return answer.calls;
    } catch (error) {
      if (!this.#left) this.#display.note(this.#explain(error, answering.signal));
      return undefined;
    } finally {
      this.#answering = undefined;
    }
  }

  #explain(error: unknown, signal: AbortSignal): string {
    if (signal.aborted) return '(stopped; this turn is forgotten)';
    // The catalog may be unreachable when the credential is renewed.
    if (error instanceof AnswerError || error instanceof CommandFailure) return error.message;
    // fetch throws a TypeError if the connection is refused or breaks: https://fetch.spec.whatwg.org/#fetch-method
    if (error instanceof TypeError) return 'the connection to the gateway failed';
    throw error;
  }
}
