import type { Msg } from '@nats-io/transport-node';

/**
 * The status code of a notice that a message had no subscriber
 * (https://docs.nats.io/nats-concepts/core-nats/reqreply#no-responders).
 */
const NO_RESPONDERS = 503;

/** A message delivered by a subscription. JSON and headers are decoded only when they are read. */
export interface BusMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** The data parsed as JSON; undefined if it is not valid JSON. */
  readonly json: unknown;
  /** The subject for the answer, if one is expected. */
  readonly reply: string | undefined;
  /** The headers, by their names in lower case. If a header has several values, the last one counts. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if this message is the server's notice that a message with this reply subject had no subscriber. */
  readonly noResponders: boolean;
  /** Answers on the reply subject; does nothing without one. Throws while disconnected. */
  respond(payload: Uint8Array): void;
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** A class with getters, which costs less than an object with closures. One is created for every message. */
export class NatsBusMessage implements BusMessage {
  readonly #message: Msg;
  readonly #publish: (subject: string, payload: Uint8Array) => void;

  constructor(message: Msg, publish: (subject: string, payload: Uint8Array) => void) {
    this.#message = message;
    this.#publish = publish;
  }

  get subject(): string {
    return this.#message.subject;
  }

  get data(): Uint8Array {
    return this.#message.data;
  }

  get json(): unknown {
    const { buffer, byteOffset, byteLength } = this.#message.data;
    try {
      const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
      const parsed: unknown = JSON.parse(text);
      return parsed;
    } catch {
      return undefined;
    }
  }

  get reply(): string | undefined {
    const { reply } = this.#message;
    return reply === '' ? undefined : reply;
  }

  get headers(): Readonly<Record<string, string>> {
    const { headers } = this.#message;
    if (headers === undefined) return NO_HEADERS;
    const record: Record<string, string> = {};
    for (const [name, values] of headers) record[name.toLowerCase()] = values.at(-1) ?? '';
    return record;
  }

  get noResponders(): boolean {
    return this.#message.headers?.code === NO_RESPONDERS && this.#message.data.length === 0;
  }

  respond(payload: Uint8Array): void {
    if (this.reply !== undefined) this.#publish(this.reply, payload);
  }
}
