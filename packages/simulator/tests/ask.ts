import type { Simulator } from '../src/index.ts';

export interface Fields {
  readonly [name: string]: unknown;
}

/** A request for the demo model. The `@sim` line follows the text. */
export function question(words: string, steering: Fields = {}, more: Fields = {}): Fields {
  const content = `${words}\n@sim ${JSON.stringify({ ttft_ms: 0, itl_ms: 0, ...steering })}`;
  return { model: 'sluice-demo', messages: [{ role: 'user', content }], ...more };
}

export function post(
  simulator: Simulator,
  body: unknown,
  init: { signal?: AbortSignal; headers?: Record<string, string>; path?: string } = {},
): Promise<Response> {
  return fetch(`${simulator.url}${init.path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(init.signal && { signal: init.signal }),
  });
}

export interface ToolCall {
  readonly id?: string;
  readonly index?: number;
  readonly type?: string;
  readonly function: { readonly name?: string; readonly arguments?: string };
}

export interface Delta {
  readonly role?: string;
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly ToolCall[];
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

export interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[];
  readonly usage?: Usage;
  readonly error?: { readonly message: string; readonly code: number };
}

export interface WholeAnswer {
  readonly id: string;
  readonly choices: readonly [
    {
      readonly finish_reason: string;
      readonly message: {
        readonly content: string | null;
        readonly reasoning_content?: string | null;
        readonly reasoning?: string | null;
        readonly tool_calls: readonly ToolCall[];
      };
    },
  ];
  readonly usage?: Usage;
}

export async function askWhole(simulator: Simulator, body: unknown): Promise<WholeAnswer> {
  const response = await post(simulator, body);
  return (await response.json()) as WholeAnswer;
}

export interface StreamEvent {
  readonly name: string | undefined;
  readonly data: string;
}

/** Parses server-sent events by the standard, from the whole text. */
export function parseEvents(text: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  let name: string | undefined;
  let data: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data.length > 0) events.push({ name, data: data.join('\n') });
      name = undefined;
      data = [];
    } else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    else if (line.startsWith('event:')) name = line.slice(6).trim();
  }
  return events;
}

export interface StreamedAnswer {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReasons: readonly string[];
  readonly usage: Usage | undefined;
  readonly done: boolean;
  readonly chunks: readonly Chunk[];
}

/** Collects the answer from the events of a stream, as a client does. */
export function gather(text: string): StreamedAnswer {
  const events = parseEvents(text);
  const done = events.at(-1)?.data === '[DONE]';
  const chunks = (done ? events.slice(0, -1) : events).map(({ data }) => JSON.parse(data) as Chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const calls: { name: string; arguments: string }[] = [];
  for (const call of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const index = call.index ?? -1;
    const before = (calls[index] ??= { name: '', arguments: '' });
    before.name += call.function.name ?? '';
    before.arguments += call.function.arguments ?? '';
  }
  const { usage } = chunks.at(-1) ?? {};
  return {
    reasoning: deltas.map((delta) => delta.reasoning_content ?? delta.reasoning ?? '').join(''),
    content: deltas.map((delta) => delta.content ?? '').join(''),
    calls,
    finishReasons: chunks.flatMap(({ choices }) =>
      choices.flatMap((choice) => (choice.finish_reason === null ? [] : [choice.finish_reason])),
    ),
    usage,
    done,
    chunks,
  };
}

export async function askStreamed(simulator: Simulator, body: Fields): Promise<StreamedAnswer> {
  const response = await post(simulator, {
    stream_options: { include_usage: true },
    ...body,
    stream: true,
  });
  return gather(await response.text());
}
