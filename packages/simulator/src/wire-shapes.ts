import type { AnswerPlan } from './answer.ts';

export const reasoningFields = ['reasoning_content', 'reasoning', 'both'] as const;

/** Older versions of vLLM use `reasoning_content`, newer ones `reasoning`, and some versions in between send both. */
export type ReasoningField = (typeof reasoningFields)[number];

export interface ReplyIdentity {
  readonly id: string;
  readonly created: number;
  readonly reasoningField: ReasoningField;
}

function usageOf(plan: AnswerPlan, cachedTokens: number) {
  return {
    prompt_tokens: plan.promptTokens,
    total_tokens: plan.promptTokens + plan.tokens,
    completion_tokens: plan.tokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    ...(plan.model.reasoning && {
      completion_tokens_details: { reasoning_tokens: plan.reasoningTokens },
    }),
  };
}

function newCallId(): string {
  return `chatcmpl-tool-${crypto.randomUUID().replaceAll('-', '')}`;
}

/** The constant text around the content of each chunk, prepared once per stream. */
export class ChunkShapes {
  readonly #head: string;
  readonly #reasoningField: ReasoningField;

  constructor(identity: ReplyIdentity, model: string) {
    const { id, created } = identity;
    this.#reasoningField = identity.reasoningField;
    const start = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.#head = start.slice(0, -1);
  }

  /** A chunk. `delta` is JSON. Only the last chunk has a finish reason. */
  chunk(delta: string, finishReason?: string): string {
    const finish =
      finishReason === undefined
        ? '"finish_reason":null'
        : `"finish_reason":${JSON.stringify(finishReason)},"stop_reason":null`;
    return `${this.#head},"choices":[{"index":0,"delta":${delta},"logprobs":null,${finish},"token_ids":null}]}`;
  }

  reasoning(text: string): string {
    const piece = JSON.stringify(text);
    return this.#reasoningField === 'both'
      ? `{"reasoning":${piece},"reasoning_content":${piece}}`
      : `{"${this.#reasoningField}":${piece}}`;
  }

  content(text: string): string {
    return `{"content":${JSON.stringify(text)}}`;
  }

  /**
   * The first chunk of a tool call. If the request forced the call, vLLM sends empty arguments in it. If the model chose
   * the tool, vLLM sends no arguments in it.
   */
  callStart(index: number, name: string, forced: boolean): string {
    const described = { name, ...(forced && { arguments: '' }) };
    const call = { id: newCallId(), type: 'function', index, function: described };
    return JSON.stringify({ tool_calls: [call] });
  }

  callArguments(index: number, text: string): string {
    return `{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(text)}}}]}`;
  }

  usage(plan: AnswerPlan, cachedTokens: number): string {
    return `${this.#head},"choices":[],"usage":${JSON.stringify(usageOf(plan, cachedTokens))}}`;
  }
}

function reasoningOf(field: ReasoningField, text: string | null): Record<string, string | null> {
  if (field === 'both') return { reasoning: text, reasoning_content: text };
  return { [field]: text };
}

/** The reply as one document, with all the null fields that vLLM sends. */
export function wholeBody(plan: AnswerPlan, identity: ReplyIdentity, cachedTokens: number) {
  const textOf = (kind: 'reasoning' | 'content') =>
    plan.parts.find((part) => part.kind === kind)?.text ?? null;
  const calls = plan.parts
    .filter((part) => part.kind === 'call')
    .map(({ name, text }) => ({
      id: newCallId(),
      type: 'function',
      function: { name, arguments: text },
    }));
  return {
    id: identity.id,
    object: 'chat.completion',
    created: identity.created,
    model: plan.model.name,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textOf('content') ?? (calls.length > 0 && plan.forcedTool ? '' : null),
          refusal: null,
          annotations: null,
          audio: null,
          function_call: null,
          tool_calls: calls,
          ...reasoningOf(identity.reasoningField, textOf('reasoning')),
        },
        logprobs: null,
        finish_reason: plan.finishReason,
        stop_reason: null,
        token_ids: null,
      },
    ],
    service_tier: null,
    system_fingerprint: null,
    ...(plan.steering.usage !== false && { usage: usageOf(plan, cachedTokens) }),
    prompt_logprobs: null,
    prompt_token_ids: null,
    kv_transfer_params: null,
  };
}
