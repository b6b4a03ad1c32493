import * as z from 'zod';

/** The token usage in a reply. */
export interface CountedTokens {
  readonly prompt: number;
  readonly completion: number;
}

/** An answer, collected from the events of a stream or read from one JSON document. */
export interface CollectedAnswer {
  readonly reasoning: string;
  readonly content: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason: string | null;
  readonly tokens: CountedTokens | undefined;
  /** `data: [DONE]` was received, or the reply was one JSON document. */
  readonly done: boolean;
  /** The code of an error event. Null when the event has no code. */
  readonly errorCode: string | null | undefined;
  readonly events: number;
}

const Fragment = z.object({
  index: z.int(),
  function: z.object({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
});

const Usage = z
  .object({ prompt_tokens: z.int(), completion_tokens: z.int() })
  .transform((usage) => ({ prompt: usage.prompt_tokens, completion: usage.completion_tokens }));

const Chunk = z.object({
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.string().nullish(),
        reasoning_content: z.string().nullish(),
        tool_calls: z.array(Fragment).optional(),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: Usage.nullable(),
});

const ErrorEvent = z.object({ error: z.object({ code: z.string().nullable() }) });

/** The stream has an event that is not a valid chunk. */
class UnreadableStream extends Error {
  override readonly name = 'UnreadableStream';
}

/** Reads server-sent events as a client does, from bytes that are cut anywhere. */
export class AnswerCollector {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #rest = '';
  #reasoning = '';
  #content = '';
  readonly #toolCalls: { name: string; arguments: string }[] = [];
  #finishReason: string | null = null;
  #tokens: CountedTokens | undefined;
  #done = false;
  #errorCode: string | null | undefined;
  #events = 0;

  get events(): number {
    return this.#events;
  }

  read(bytes: Uint8Array): void {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    let end = this.#rest.indexOf('\n');
    while (end !== -1) {
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 1);
      if (line.startsWith('data: ')) this.#take(line.slice(6));
      else if (line !== '' && !line.startsWith(':')) throw new UnreadableStream('an unknown line');
      end = this.#rest.indexOf('\n');
    }
  }

  answer(): CollectedAnswer {
    return {
      reasoning: this.#reasoning,
      content: this.#content,
      toolCalls: this.#toolCalls,
      finishReason: this.#finishReason,
      tokens: this.#tokens,
      done: this.#done,
      errorCode: this.#errorCode,
      events: this.#events,
    };
  }

  #take(data: string): void {
    this.#events += 1;
    if (this.#done) throw new UnreadableStream('an event after the last');
    if (data === '[DONE]') {
      this.#done = true;
      return;
    }
    const parsed: unknown = JSON.parse(data);
    const failure = ErrorEvent.safeParse(parsed);
    if (failure.success) {
      this.#errorCode = failure.data.error.code;
      return;
    }
    const { choices, usage } = Chunk.parse(parsed);
    if (usage !== null) this.#tokens = usage;
    for (const { delta, finish_reason } of choices) {
      this.#reasoning += delta.reasoning_content ?? '';
      this.#content += delta.content ?? '';
      for (const { index, function: call } of delta.tool_calls ?? []) {
        const known = (this.#toolCalls[index] ??= { name: '', arguments: '' });
        known.name += call?.name ?? '';
        known.arguments += call?.arguments ?? '';
      }
      if (finish_reason !== null) this.#finishReason = finish_reason;
    }
  }
}

const Whole = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullable(),
          reasoning_content: z.string().nullish(),
          tool_calls: z
            .array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) }))
            .optional(),
        }),
        finish_reason: z.string(),
      }),
    )
    .length(1),
  usage: Usage,
});

/** Reads a reply that is one JSON document. */
export function readWholeAnswer(text: string): CollectedAnswer {
  const { choices, usage } = Whole.parse(JSON.parse(text));
  const [choice] = choices;
  return {
    reasoning: choice?.message.reasoning_content ?? '',
    content: choice?.message.content ?? '',
    toolCalls: (choice?.message.tool_calls ?? []).map((call) => call.function),
    finishReason: choice?.finish_reason ?? null,
    tokens: usage,
    done: true,
    errorCode: undefined,
    events: 0,
  };
}
