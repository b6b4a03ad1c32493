import { AttemptFailure } from '../attempt/attempt-failure.ts';
import {
  countOf,
  isJsonObject,
  listOf,
  objectOf,
  parseJson,
  textOf,
  type JsonObject,
} from '../json/json.ts';
import { MalformedStreamError } from './sse-events.ts';

/** A fragment of a tool call, as runtimes send it. Any part may be missing. */
export interface CallFragment {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
}

export interface RuntimeUsage {
  readonly promptTokens: number;
  readonly completionTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
}

/** The content of one chunk of a runtime's stream. A text that is missing is empty. */
export interface RuntimeChunk {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly CallFragment[];
  readonly finishReason: string | undefined;
  readonly usage: RuntimeUsage | undefined;
  /** The error, if the stream fails after its start. */
  readonly error: unknown;
}

/**
 * Reads a chunk leniently: missing, null and unknown fields are ignored. Throws if the chunk is not a JSON object, or
 * if it holds output that cannot be represented in the API, so that no output is lost.
 */
export function readChunk(data: string): RuntimeChunk {
  const chunk = parseChunk(data);
  const choice = objectOf(listOf(chunk['choices'])[0]);
  const delta = objectOf(choice?.['delta']);
  const { thoughts, content } = readContent(delta?.['content']);
  if (readText(delta?.['refusal']) !== '') throw AttemptFailure.invalidOutput();
  return {
    reasoning: readReasoning(delta) + thoughts,
    content,
    calls: readCalls(delta),
    // Some versions of SGLang send an empty finish reason in every chunk before the last.
    finishReason: nonEmptyText(choice?.['finish_reason']),
    usage: readUsage(chunk['usage']),
    error: chunk['error'] ?? (chunk['object'] === 'error' ? chunk : undefined),
  };
}

/** vLLM renamed `reasoning_content` to `reasoning`. Some runtimes send both fields, one of them empty. */
function readReasoning(delta: JsonObject | undefined): string {
  const text = readText(delta?.['reasoning_content']);
  return text === '' ? readText(delta?.['reasoning']) : text;
}

/** Mistral's servers may send content as parts: `text`, or `thinking` with a text or parts inside. */
function readContent(value: unknown): { readonly thoughts: string; readonly content: string } {
  if (!Array.isArray(value)) return { thoughts: '', content: readText(value) };
  let thoughts = '';
  let content = '';
  for (const part of value) {
    const { type, text, thinking } = objectOf(part) ?? {};
    if (type === 'text') content += readText(text);
    else if (type === 'thinking') {
      const thought = readContent(thinking);
      thoughts += thought.thoughts + thought.content;
    } else throw AttemptFailure.invalidOutput();
  }
  return { thoughts, content };
}

function readText(value: unknown): string {
  const text = value ?? '';
  if (typeof text !== 'string') throw AttemptFailure.invalidOutput();
  return text;
}

function parseChunk(data: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = parseJson(data);
  } catch {
    // The cause is left out, because its message quotes the output.
    throw new MalformedStreamError('a chunk is not JSON');
  }
  if (!isJsonObject(parsed)) throw new MalformedStreamError('a chunk is not an object');
  return parsed;
}

function nonEmptyText(value: unknown): string | undefined {
  return value === '' ? undefined : textOf(value);
}

function readCalls(delta: JsonObject | undefined): readonly CallFragment[] {
  const calls = delta?.['tool_calls'];
  // Some versions of TGI send a single fragment instead of a list.
  const fragments = isJsonObject(calls) ? [calls] : listOf(calls).filter(isJsonObject);
  // The older form, for one call. Some servers send both forms.
  const older = delta?.['function_call'];
  if (fragments.length === 0 && isJsonObject(older)) fragments.push({ function: older });
  return fragments.map((fragment) => {
    const called = objectOf(fragment['function']);
    return {
      index: countOf(fragment['index']),
      id: nonEmptyText(fragment['id']),
      name: nonEmptyText(called?.['name']),
      arguments: readArguments(called?.['arguments']),
    };
  });
}

/** Some servers send the arguments as an object instead of a string. */
function readArguments(value: unknown): string {
  const text = value ?? '';
  return typeof text === 'string' ? text : JSON.stringify(text);
}

function readUsage(value: unknown): RuntimeUsage | undefined {
  const usage = objectOf(value);
  const promptTokens = countOf(usage?.['prompt_tokens']);
  if (usage === undefined || promptTokens === undefined) return undefined;
  return {
    promptTokens,
    completionTokens: countOf(usage['completion_tokens']),
    cachedTokens: countOf(objectOf(usage['prompt_tokens_details'])?.['cached_tokens']),
    // SGLang reports this count outside the details.
    reasoningTokens:
      countOf(objectOf(usage['completion_tokens_details'])?.['reasoning_tokens']) ??
      countOf(usage['reasoning_tokens']),
  };
}
