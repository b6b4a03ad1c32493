import { Pool } from 'undici';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { classifyErrorAnswer } from '../dialects/classify-error.ts';
import type { JsonText } from '../dialects/translate-request.ts';
import { parseJson } from '../json/json.ts';
import { EVENT_STREAM, Generation, type GenerationOptions } from './generation.ts';

export interface RuntimeClientOptions {
  /** May end with `/v1`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Maximum number of connections. */
  readonly connections: number;
}

export interface Question {
  readonly body?: JsonText;
  readonly timeoutMs: number;
}

/**
 * vLLM and SGLang run on uvicorn, which closes idle connections after 5 s (https://www.uvicorn.org/settings/#timeouts).
 * A request on a connection that is closed at the same moment would fail, so the worker closes it earlier.
 */
const KEEP_ALIVE_MS = 4_000;
/** Limit for the keep-alive time that a server announces, so that connections of a peak are not kept for minutes. */
const MAX_KEEP_ALIVE_MS = 8_000;
const CONNECT_TIMEOUT_MS = 3_000;

/** HTTP client of one runtime. It has no timeouts for generations: `schedule/attempt-clock` decides when one stalls. */
export class RuntimeClient implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, apiKey, connections }: RuntimeClientOptions) {
    const { origin, pathname } = new URL(url);
    this.#basePath = pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.#headers = {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  }

  generate(
    body: JsonText,
    headers: Readonly<Record<string, string>>,
    options: GenerationOptions,
  ): Generation {
    const generation = new Generation(options);
    this.#pool.dispatch(
      {
        path: `${this.#basePath}/v1/chat/completions`,
        method: 'POST',
        headers: { ...this.#headers, accept: EVENT_STREAM, ...headers },
        body,
      },
      generation,
    );
    return generation;
  }

  /**
   * Sends a small request that is not a generation. Throws an AttemptFailure unless the response is JSON with status
   * 200.
   */
  async ask(path: string, question: Question): Promise<unknown> {
    const text = await this.read(path, question);
    try {
      return parseJson(text);
    } catch (thrown) {
      throw AttemptFailure.from(thrown);
    }
  }

  /** Like `ask`, for a response that is not JSON. */
  async read(path: string, { body, timeoutMs }: Question): Promise<string> {
    try {
      const answer = await this.#pool.request({
        path: `${this.#basePath}${path}`,
        method: body === undefined ? 'GET' : 'POST',
        headers: this.#headers,
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body }),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) {
        throw classifyErrorAnswer({ status: answer.statusCode, body: text });
      }
      return text;
    } catch (thrown) {
      throw AttemptFailure.from(thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
  }
}
