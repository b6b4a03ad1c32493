/**
 * Reads the data of server-sent events from pieces of text, which may end in the middle of a line. Comments and fields
 * other than data are ignored:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventReader {
  readonly #onData: (data: string) => void;
  #rest = '';
  #data: string[] = [];

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  read(piece: string): void {
    // A CR at the end of a piece may belong to an LF at the start of the next piece, so it is kept until then.
    const text = this.#rest + piece;
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? '') + text.slice(whole.length);
    for (const line of lines) this.#readLine(line);
  }

  #readLine(line: string): void {
    if (line !== '') {
      if (line.startsWith('data:')) this.#data.push(line.slice(5).replace(/^ /, ''));
      return;
    }
    if (this.#data.length > 0) this.#onData(this.#data.join('\n'));
    this.#data = [];
  }
}
