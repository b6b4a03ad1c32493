import { REASONING_MODEL, SHORT } from '../conformance/world.ts';

/** The bytes of one connection: one or more requests. */
export interface RecordedRequest {
  readonly title: string;
  readonly bytes: Buffer;
}

export type KeyName = 'served' | 'waiting' | 'restricted' | 'inactive' | 'unpaid' | 'exhausted';
export type Keys = Readonly<Record<KeyName, string>>;

export const ROOT = '/compat/v1';

export interface Head {
  readonly method?: string;
  readonly path?: string;
  readonly version?: string;
  readonly headers?: readonly string[];
}

/** Each request asks for its connection to be closed, so that the end of the reply can be seen. */
export function request(
  title: string,
  { method = 'GET', path = '/models', version = '1.1', headers = [] }: Head,
  body: string | Uint8Array = '',
): RecordedRequest {
  const content = Buffer.from(body);
  const length = content.length === 0 ? [] : [`content-length: ${String(content.length)}`];
  const lines = ['host: replay.example', 'connection: close', ...length, ...headers];
  const head = `${method} ${ROOT}${path} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`;
  return { title, bytes: Buffer.concat([Buffer.from(head), content]) };
}

export function raw(title: string, bytes: string): RecordedRequest {
  return { title, bytes: Buffer.from(bytes) };
}

export const PLAIN = {
  model: 'sluice-small',
  messages: [{ role: 'user', content: SHORT }],
} as const;

export const REASONING = { ...PLAIN, model: REASONING_MODEL } as const;

type JsonObject = Readonly<Record<string, unknown>>;

export class Completions {
  readonly #headers: readonly string[];

  constructor(key: string) {
    this.#headers = [`authorization: Bearer ${key}`, 'content-type: application/json'];
  }

  get headers(): readonly string[] {
    return this.#headers;
  }

  /** A plain completion, with this change to its body. */
  changed(title: string, change: JsonObject): RecordedRequest {
    return this.body(title, JSON.stringify({ ...PLAIN, ...change }));
  }

  body(title: string, body: string | Uint8Array): RecordedRequest {
    const head = { method: 'POST', path: '/chat/completions', headers: this.#headers };
    return request(title, head, body);
  }
}
