import type { Msg } from '@nats-io/transport-node';

const NO_RESPONDERS = 503;

/** What a subscription delivers. Parts are decoded when asked for: most messages need few of them. */
export interface BusMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** What it says in JSON; undefined, which JSON cannot say, where it is none. */
  readonly json: unknown;
  /** Where an answer is awaited, if one is. */
  readonly reply: string | undefined;
  /** By lower-case name; the last of several values. */
  readonly headers: Readonly<Record<string, string>>;
  /** The server's own notice, on a reply subject, that nobody subscribes to what was published. */
  readonly noResponders: boolean;
  /** Answers on the reply subject, if there is one. Throws while disconnected. */
  respond(payload: Uint8Array): void;
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** A prototype with getters rather than an object with closures: one is made for every message. */
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
      const said: unknown = JSON.parse(text);
      return said;
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
