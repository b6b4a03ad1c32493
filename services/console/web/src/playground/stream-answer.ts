import type { AnswerFailure, TokenCounts, ToolCall } from './conversation.ts';
import { EventReader } from './event-reader.ts';

/** What is known about an answer while it arrives. It is changed in place. */
export interface AnswerProgress {
  reasoning: string;
  content: string;
  toolCalls: ToolCall[];
  finishReason: string | null;
  tokens: TokenCounts | null;
  firstTokenMs: number | null;
  requestId: string | null;
  headers: (readonly [string, string])[];
  failure: AnswerFailure | null;
  /** Whether the end marker arrived. */
  ended: boolean;
}

export function newProgress(): AnswerProgress {
  return {
    reasoning: '',
    content: '',
    toolCalls: [],
    finishReason: null,
    tokens: null,
    firstTokenMs: null,
    requestId: null,
    headers: [],
    failure: null,
    ended: false,
  };
}

interface StreamOptions {
  readonly apiUrl: string;
  readonly token: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly changed: () => void;
  readonly fetch: typeof fetch;
}

/**
 * Sends a request and reads its answer to the end. A failure is recorded in the progress. An abort is not a failure.
 */
export async function streamAnswer(
  progress: AnswerProgress,
  { apiUrl, token, body, signal, now, changed, fetch }: StreamOptions,
): Promise<void> {
  const start = now();
  try {
    const reply = await fetch(`${apiUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
      // The credential is in the header, so cookies are not needed.
      credentials: 'omit',
    });
    readHeaders(progress, reply.headers);
    if (!reply.ok || reply.body === null) {
      const content: unknown = await reply.json().catch(() => undefined);
      progress.failure = failureOf(content, reply.status, reply.headers.get('retry-after'));
      return;
    }
    const events = new EventReader((data) => {
      if (data === '[DONE]') progress.ended = true;
      else addChunk(progress, JSON.parse(data) as unknown, now() - start);
    });
    const text = reply.body.pipeThrough(new TextDecoderStream());
    for await (const piece of chunksOf(text)) {
      events.read(piece);
      changed();
    }
    if (!progress.ended && progress.failure === null) {
      progress.failure = streamFailure('stream_incomplete');
    }
  } catch {
    if (!signal.aborted && progress.failure === null) {
      progress.failure = streamFailure(
        progress.requestId === null ? 'unreachable' : 'stream_incomplete',
      );
    }
  }
}

/** Iterates over a stream. Not every browser has this built in. */
async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

function readHeaders(progress: AnswerProgress, headers: Headers): void {
  progress.requestId = headers.get('x-request-id');
  progress.headers = [...headers].filter(
    ([name]) => name.startsWith('x-ratelimit-') || name.endsWith('-data-retention'),
  );
}

interface Chunk {
  readonly error?: unknown;
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
  } | null;
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly CallFragment[];
    };
  }[];
}

interface CallFragment {
  readonly index: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** Adds one chunk to the answer. */
function addChunk(progress: AnswerProgress, data: unknown, atMs: number): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the gateway's chunks are read leniently, field by field
  const chunk = data as Chunk;
  if (chunk.error !== undefined) {
    progress.failure = failureOf(chunk, null, null);
    return;
  }
  if (chunk.usage !== undefined && chunk.usage !== null) {
    const { usage } = chunk;
    progress.tokens = {
      input: usage.prompt_tokens ?? 0,
      cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage.completion_tokens ?? 0,
      reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    };
  }
  const choice = chunk.choices?.[0];
  if (choice === undefined) return;
  progress.finishReason = choice.finish_reason ?? progress.finishReason;
  const { delta } = choice;
  if (delta === undefined) return;
  const fragments = delta.tool_calls ?? [];
  const reasoning = delta.reasoning_content ?? '';
  const content = delta.content ?? '';
  if (reasoning !== '' || content !== '' || fragments.length > 0) progress.firstTokenMs ??= atMs;
  progress.reasoning += reasoning;
  progress.content += content;
  for (const fragment of fragments) addFragment(progress.toolCalls, fragment);
}

function addFragment(calls: ToolCall[], { index, id, function: piece }: CallFragment): void {
  const known = calls[index] ?? { id: '', name: '', arguments: '' };
  calls[index] = {
    id: id ?? known.id,
    name: known.name + (piece?.name ?? ''),
    arguments: known.arguments + (piece?.arguments ?? ''),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The fields of an object, and none for any other value: a proxy in front of the API may send other content. */
function fieldsOf(content: unknown): Readonly<Record<string, unknown>> {
  return typeof content === 'object' && content !== null ? { ...content } : {};
}

function failureOf(
  content: unknown,
  status: number | null,
  retryAfter: string | null,
): AnswerFailure {
  const error = fieldsOf(fieldsOf(content)['error']);
  return {
    status,
    type: textOf(error['type']),
    code: textOf(error['code']) ?? textOf(error['type']),
    param: textOf(error['param']),
    message: textOf(error['message']) ?? '',
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  };
}

const streamFailure = (code: string): AnswerFailure => ({
  status: null,
  type: null,
  code,
  param: null,
  message: '',
  retryAfterSeconds: null,
});
