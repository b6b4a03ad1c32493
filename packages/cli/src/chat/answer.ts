import * as z from 'zod';
import type { ChatMessage, ToolCall } from './conversation.ts';

/** The fields of a chunk that a chat uses. */
const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                index: z.int().min(0),
                id: z.string().nullish(),
                function: z
                  .object({ name: z.string().nullish(), arguments: z.string().nullish() })
                  .nullish(),
              }),
            )
            .nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.object({ cached_tokens: z.number() }).nullish(),
      completion_tokens_details: z.object({ reasoning_tokens: z.number() }).nullish(),
    })
    .nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

export interface AnswerUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** Receives the text of an answer as it arrives. */
export interface AnswerObserver {
  reasoning(text: string): void;
  content(text: string): void;
}

/** The service reported an error, or its answer was incomplete. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

/** Assembles an answer from its chunks. */
export class Answer {
  readonly #observer: AnswerObserver;
  readonly #calls: { id: string; name: string; arguments: string }[] = [];
  #content = '';
  #reasoning: string | undefined;
  #usage: AnswerUsage | undefined;
  #finishReason: string | undefined;

  constructor(observer: AnswerObserver) {
    this.#observer = observer;
  }

  get usage(): AnswerUsage | undefined {
    return this.#usage;
  }

  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  get calls(): readonly ToolCall[] {
    return this.#calls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    }));
  }

  /** The message to send with the next turn. */
  get message(): ChatMessage {
    const { calls } = this;
    return {
      role: 'assistant',
      content: this.#content === '' && calls.length > 0 ? null : this.#content,
      ...(this.#reasoning === undefined ? {} : { reasoning_content: this.#reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }

  /** Takes the data of one server-sent event. */
  take(data: string): void {
    const { choices, usage, error } = Chunk.parse(JSON.parse(data));
    if (error !== undefined && error !== null) throw new AnswerError(error.message);
    if (usage !== undefined && usage !== null) {
      this.#usage = {
        input: usage.prompt_tokens,
        cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
        output: usage.completion_tokens,
        reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
      };
    }
    for (const { delta, finish_reason } of choices) {
      this.#takeText(delta.reasoning_content ?? '', delta.content ?? '');
      for (const fragment of delta.tool_calls ?? []) this.#takeCall(fragment);
      this.#finishReason = finish_reason ?? this.#finishReason;
    }
  }

  #takeText(reasoning: string, content: string): void {
    if (reasoning !== '') {
      this.#reasoning = (this.#reasoning ?? '') + reasoning;
      this.#observer.reasoning(reasoning);
    }
    if (content !== '') {
      this.#content += content;
      this.#observer.content(content);
    }
  }

  #takeCall(fragment: {
    index: number;
    id?: string | null | undefined;
    function?:
      | { name?: string | null | undefined; arguments?: string | null | undefined }
      | null
      | undefined;
  }): void {
    const call = (this.#calls[fragment.index] ??= { id: '', name: '', arguments: '' });
    call.id ||= fragment.id ?? '';
    call.name ||= fragment.function?.name ?? '';
    call.arguments += fragment.function?.arguments ?? '';
  }
}
