/** The bytes that one connection sends, and how the client behaves. */
export interface WireTraffic {
  readonly bytes: Buffer;
  /** Sends this many bytes at a time. Without it, all bytes are sent at once. */
  readonly drip?: { readonly bytes: number; readonly everyMs: number };
  /**
   * How the client deviates from the normal behaviour, which is to wait for the reply and read it. It closes the
   * connection when all bytes are sent, never reads the reply, or never completes its request.
   */
  readonly misbehaviour?: 'leaves' | 'never reads' | 'never ends';
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
