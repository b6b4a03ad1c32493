import { AttemptFailure } from '../domain/attempt-failure.ts';
import {
  countOf,
  isJsonObject,
  listOf,
  objectOf,
  parseJson,
  textOf,
  type JsonObject,
} from '../json/json.ts';
import { MalformedStreamError } from './sse-parser.ts';

/** A fragment of a tool call, as runtimes send them: any part may be missing. */
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

/** What one chunk of a runtime's stream says. Empty text is as good as none. */
export interface RuntimeChunk {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly CallFragment[];
  readonly finishReason: string | undefined;
  readonly usage: RuntimeUsage | undefined;
  /** The error object of a stream that fails after it had begun. */
  readonly error: unknown;
}

/**
 * Reads a chunk leniently: what is absent, null or unknown is passed over. What is not JSON is an error, and so is a
 * part of the answer that cannot be told to the client: it must not vanish.
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
    // Some versions of SGLang write an empty one, instead of none, into every chunk before the last.
    finishReason: wordOf(choice?.['finish_reason']),
    usage: readUsage(chunk['usage']),
    error: chunk['error'] ?? (chunk['object'] === 'error' ? chunk : undefined),
  };
}

/** vLLM renamed the field; some send both, and one of them empty. */
function readReasoning(delta: JsonObject | undefined): string {
  const text = readText(delta?.['reasoning_content']);
  return text === '' ? readText(delta?.['reasoning']) : text;
}

/** Mistral's servers write it in parts too: text, and thoughts that are again a text or parts. */
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
    // The cause quotes what it choked on, which may be an answer.
    throw new MalformedStreamError('a chunk is not JSON');
  }
  if (!isJsonObject(parsed)) throw new MalformedStreamError('a chunk is not an object');
  return parsed;
}

/** An empty one is none. */
function wordOf(value: unknown): string | undefined {
  return value === '' ? undefined : textOf(value);
}

function readCalls(delta: JsonObject | undefined): readonly CallFragment[] {
  const calls = delta?.['tool_calls'];
  // Versions of TGI write a fragment where others write a list of them.
  const fragments = isJsonObject(calls) ? [calls] : listOf(calls).filter(isJsonObject);
  const older = delta?.['function_call'];
  // Older servers know one call, and some write it in both ways.
  if (fragments.length === 0 && isJsonObject(older)) fragments.push({ function: older });
  return fragments.map((fragment) => {
    const called = objectOf(fragment['function']);
    return {
      index: countOf(fragment['index']),
      id: wordOf(fragment['id']),
      name: wordOf(called?.['name']),
      arguments: readArguments(called?.['arguments']),
    };
  });
}

/** Some servers send them as the object that the string would hold, whole. */
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
    // SGLang counts them outside of the details.
    reasoningTokens:
      countOf(objectOf(usage['completion_tokens_details'])?.['reasoning_tokens']) ??
      countOf(usage['reasoning_tokens']),
  };
}
