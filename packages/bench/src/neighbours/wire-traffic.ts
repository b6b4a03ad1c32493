/** What one connection sends, and how it behaves otherwise. */
export interface WireTraffic {
  readonly bytes: Buffer;
  /** Sends so many bytes at a time; everything at once without it. */
  readonly drip?: { readonly bytes: number; readonly everyMs: number };
  /**
   * Closes as soon as the bytes are out, reads nothing of the reply, or sends less than a request. Without it, it is
   * answered, and the reply is read.
   */
  readonly manners?: 'leaves' | 'never reads' | 'never ends';
}

/** The head of a request. */
export function head(method: 'GET' | 'POST', path: string, headers: HeaderFields = {}): string {
  const lines = Object.entries({ host: 'bench', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

type HeaderFields = Readonly<Record<string, string>>;

/** A whole request with a JSON body. */
export function post(path: string, headers: HeaderFields, body: string): Buffer {
  return Buffer.from(
    head('POST', path, {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    }) + body,
  );
}

export function times<Item>(count: number, make: (number: number) => Item): Item[] {
  return Array.from({ length: count }, (_, number) => make(number));
}
