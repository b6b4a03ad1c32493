import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { simulatedAnswer, type Steering } from '@sluice/simulator';
import { MODEL } from './fleet.ts';
import { judgeReply, readEvents, type Verdict } from './judge-reply.ts';

export interface CompletionOptions {
  readonly url: string;
  readonly key: string;
  /** Makes the answer different from those of the other clients. */
  readonly name: string;
  readonly steering: Steering;
  readonly stream: boolean;
  /** Provides the connection. By default, the client opens a new one. */
  readonly agent?: Agent;
}

export interface Reply extends Verdict {
  /** Undefined if not even the head of a reply arrived. */
  readonly requestId: string | undefined;
  readonly endedAt: number;
}

/** One completion, requested at once, whose complete answer is known in advance. */
export class CompletionClient {
  readonly name: string;
  readonly stream: boolean;
  readonly expected: ReturnType<typeof simulatedAnswer>;
  readonly ended: Promise<Reply>;
  readonly #request: ClientRequest;
  readonly #resolve: (reply: Reply) => void;
  #response: IncomingMessage | undefined;
  #text = '';
  #failure: string | undefined;
  /** When the last bytes arrived. */
  lastBytesAt = 0;
  isOver = false;

  constructor({ url, key, name, steering, stream, agent }: CompletionOptions) {
    this.name = name;
    this.stream = stream;
    const body = {
      model: MODEL,
      messages: [{ role: 'user', content: `${name}\n@sim ${JSON.stringify(steering)}` }],
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    };
    this.expected = simulatedAnswer(body);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#request = request(`${url}/compat/v1/chat/completions`, {
      method: 'POST',
      agent: agent ?? new Agent({ keepAlive: false }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    this.#request.once('response', (response) => this.#read(response));
    this.#request.once('error', (error) => this.#end(error.message));
    this.#request.end(JSON.stringify(body));
  }

  get requestId(): string | undefined {
    const id = this.#response?.headers['x-request-id'];
    return typeof id === 'string' ? id : undefined;
  }

  /** The pieces of the answer that have arrived so far. */
  get pieces(): number {
    return this.stream ? readEvents(this.#text).pieces : 0;
  }

  /** Whether every token has arrived. The end may still be missing. */
  get hasAll(): boolean {
    if (!this.stream) return false;
    const { reasoning, content } = readEvents(this.#text);
    return reasoning === (this.expected.reasoning ?? '') && content === this.expected.content;
  }

  /** Disconnects. */
  leave(): void {
    this.#request.destroy();
  }

  #read(response: IncomingMessage): void {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      this.#text += text;
      this.lastBytesAt = performance.now();
    });
    // Tests check how the reply ended, so the error is kept and not thrown.
    response.once('error', (error) => (this.#failure = error.message));
    response.once('close', () => this.#end(this.#failure));
  }

  #end(failure: string | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    const response = this.#response;
    const verdict = judgeReply(this.expected, {
      stream: this.stream,
      status: response?.statusCode,
      complete: response?.complete === true,
      text: this.#text,
      failure,
    });
    this.#resolve({ ...verdict, requestId: this.requestId, endedAt: performance.now() });
  }
}
