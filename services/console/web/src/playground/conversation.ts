export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface TokenCounts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface AnswerFailure {
  /** The HTTP status. Null if no response was received, or if the stream failed after its start. */
  readonly status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
  readonly message: string;
  readonly retryAfterSeconds: number | null;
}

export interface Answer {
  readonly kind: 'answer';
  readonly id: number;
  readonly model: string;
  readonly state: 'running' | 'complete' | 'stopped' | 'failed';
  readonly reasoning: string;
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string | null;
  readonly tokens: TokenCounts | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  readonly requestId: string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly failure: AnswerFailure | null;
  /** The JSON schema of the request. The content is checked against it. */
  readonly schema: object | null;
}

export interface Question {
  readonly kind: 'question';
  readonly id: number;
  readonly text: string;
}

/** The result that the person has entered for a tool call. */
export interface ToolResult {
  readonly kind: 'result';
  readonly id: number;
  readonly call: ToolCall;
  readonly text: string;
}

/** A part of the conversation. Conversations are only in the memory of the page. */
export type Turn = Question | Answer | ToolResult;

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly type: 'function';
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/**
 * The messages of the next request. An answer that failed, or was stopped before its first content, is left out. An
 * answer that was stopped later has its content, but not its tool calls, because these may be incomplete.
 */
export function messagesOf(system: string, turns: readonly Turn[]): Message[] {
  const messages: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  for (const turn of turns) {
    if (turn.kind === 'question') messages.push({ role: 'user', content: turn.text });
    else if (turn.kind === 'result') {
      messages.push({ role: 'tool', tool_call_id: turn.call.id, content: turn.text });
    } else if (turn.state === 'complete' || (turn.state === 'stopped' && turn.content !== '')) {
      messages.push(messageOf(turn));
    }
  }
  return messages;
}

function messageOf({ state, content, reasoning, toolCalls }: Answer): Message {
  const calls = state === 'complete' ? toolCalls : [];
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, arguments: text }) => ({
            id,
            type: 'function' as const,
            function: { name, arguments: text },
          })),
        }),
  };
}

/** The tool calls of the last answer. Each needs a result before the next request. */
export function openCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.at(-1);
  return last?.kind === 'answer' && last.state === 'complete' ? last.toolCalls : [];
}
