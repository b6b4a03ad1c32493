/** The data of the events of a stream, `[DONE]` included. */
export function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}

export interface StreamedChunk {
  readonly id: string;
  readonly created: number;
  readonly choices: readonly {
    readonly delta: {
      readonly role?: string;
      readonly content?: string;
      readonly reasoning_content?: string;
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage: object | null;
  readonly obfuscation?: string;
}

/** The chunks of a stream, without `[DONE]`. */
export function chunksOf(text: string): StreamedChunk[] {
  return eventsOf(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as StreamedChunk);
}

export function contentOf(text: string): string {
  return chunksOf(text)
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');
}
