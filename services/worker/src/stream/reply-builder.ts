import { FrameKind, frame, type FinishReason, type Frame, type Usage } from '@sluice/contracts';
import { classifyErrorEvent } from '../dialect/classify-error.ts';
import { MouldedChunkReader } from '../dialect/moulded-chunk-reader.ts';
import type { RuntimeChunk, RuntimeUsage } from '../dialect/read-chunk.ts';
import type { ServerSentEvent } from '../dialect/sse-parser.ts';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import { parseJson } from '../json/json.ts';
import { finishReasonOf } from './finish-reason.ts';
import { lineJson } from './line-json.ts';
import {
  ToolCalls,
  type ToolCallsOptions,
  type WireCall,
  type WireFragment,
} from './tool-calls.ts';
import { wireUsage } from './usage.ts';

const END_MARKER = '[DONE]';

export interface RuntimeReplyOptions extends ToolCallsOptions {
  readonly stream: boolean;
  /** The model's non-streamed replies always have `reasoning_content`. */
  readonly reasoningAlways: boolean;
  /** Keep the whole content, to be checked at the end. */
  readonly keepContent: boolean;
  /** Content is held back until the first call: a reply without one fails and must not have been seen. */
  readonly callFirst: boolean;
  readonly reportCached: boolean;
  readonly promptTokens: number;
  /** Most tokens that the runtime was asked for, where it was told. */
  readonly outputBound: number | undefined;
  /** Most tokens of prompt and answer together, where that is known. */
  readonly contextLength: number | undefined;
  /** Bytes: a reply that does not stream is sent as one message, as each piece of a stream is, and that has a limit. */
  readonly longestReply: number;
  /** A frame for the gateway, as soon as there is one. */
  readonly emit: (frame: Frame) => void;
}

export interface FinishedReply {
  /** What remains to be sent before `finished`. */
  readonly frames: readonly Frame[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

/**
 * Turns the events of a runtime's stream into our frames. Pure but for what it emits. It throws an AttemptFailure,
 * or a MalformedStreamError, when the runtime reports an error or does not make sense.
 */
export class RuntimeReply {
  readonly #options: RuntimeReplyOptions;
  readonly #reader = new MouldedChunkReader();
  readonly #calls: ToolCalls;
  #content = '';
  /** Content of a stream that has not been sent yet. */
  #held = '';
  #hasSentContent = false;
  #hasSentCall = false;
  #reasoning = '';
  #hasReasoned = false;
  #contentCharacters = 0;
  #reasoningCharacters = 0;
  #callCharacters = 0;
  #chunks = 0;
  #finishReason: string | undefined;
  #usage: RuntimeUsage | undefined;
  #ended = false;

  constructor(options: RuntimeReplyOptions) {
    this.#options = options;
    this.#calls = new ToolCalls(options);
  }

  /** The runtime has said the last word of the answer; usage may still follow. */
  get answered(): boolean {
    return this.#finishReason !== undefined;
  }

  /** Nothing more will come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Chunks that carried something so far: about one a token. */
  get chunks(): number {
    return this.#chunks;
  }

  get content(): string {
    return this.#content;
  }

  get calls(): WireCall[] {
    return this.#calls.wholeCalls();
  }

  take({ event, data }: ServerSentEvent): void {
    if (this.#ended) return;
    if (event === 'error') throw classifyErrorEvent(parseErrorData(data));
    if (data === END_MARKER) {
      this.end();
      return;
    }
    const chunk = this.#reader.read(data);
    if (chunk.error !== undefined && chunk.error !== null) throw classifyErrorEvent(chunk.error);
    this.#takeChunk(chunk);
  }

  /** The end marker came, or the connection ended. Without a finish reason the answer is cut short. */
  end(): void {
    if (this.#ended) return;
    if (!this.answered) throw AttemptFailure.unavailable();
    this.#ended = true;
  }

  finish(): FinishedReply {
    const finishReason = this.#endsWithinCall
      ? 'length'
      : finishReasonOf(this.#finishReason ?? 'error', this.#calls.count > 0);
    if (finishReason === undefined) throw AttemptFailure.unavailable();
    if (this.#calls.hasNameless && finishReason !== 'length') throw AttemptFailure.invalidOutput();
    const frames: Frame[] = [];
    const additions = finishReason === 'length' ? [] : this.#calls.completeEmptyArguments();
    if (this.#options.stream) {
      if (this.#lacksReasoning) frames.push(NO_REASONING);
      if (this.#held !== '') frames.push(textFrame('{"content":', this.#held));
      for (const fragment of additions) frames.push(callFrame(fragment));
    } else frames.push(this.#messageFrame());
    const usage = wireUsage(this.#usage, {
      chunks: this.#chunks,
      reasoningCharacters: this.#reasoningCharacters,
      characters: this.#reasoningCharacters + this.#contentCharacters + this.#callCharacters,
      promptTokens: this.#options.promptTokens,
      reportCached: this.#options.reportCached,
    });
    frames.push(frame(FrameKind.usage, Buffer.from(JSON.stringify(usage))));
    return { frames, finishReason, usage };
  }

  /** vLLM says `tool_calls` of a stream with a call in it even where the length has cut that call off. */
  get #endsWithinCall(): boolean {
    return this.#finishReason === 'tool_calls' && this.#isSpent && this.#calls.lastIsUnfinished;
  }

  /** By the runtime's own count there was no room for another token. */
  get #isSpent(): boolean {
    const { promptTokens, completionTokens } = this.#usage ?? {};
    if (promptTokens === undefined || completionTokens === undefined) return false;
    const { outputBound = Infinity, contextLength = Infinity } = this.#options;
    return completionTokens >= outputBound || promptTokens + completionTokens >= contextLength;
  }

  #takeChunk({ reasoning, content, calls, finishReason, usage }: RuntimeChunk): void {
    if (reasoning !== '') this.#takeReasoning(reasoning);
    if (content !== '') this.#takeContent(content);
    for (const fragment of calls) {
      this.#callCharacters += fragment.arguments.length;
      const fragments = this.#calls.take(fragment, this.#hasReasoned);
      if (this.#options.stream) this.#sendCall(fragments);
    }
    if (reasoning !== '' || content !== '' || calls.length > 0) this.#chunks += 1;
    if (finishReason !== undefined) this.#finishReason = finishReason;
    if (usage !== undefined) this.#usage = usage;
    if (!this.#options.stream) this.#boundLength();
  }

  #takeReasoning(text: string): void {
    if (this.#hasSentContent) throw AttemptFailure.brokenPromise('reasoning_late');
    this.#reasoningCharacters += text.length;
    // A client that trims it has nothing left to send back, and the ids of its calls must not demand that.
    this.#hasReasoned ||= /\S/.test(text);
    if (this.#options.stream) this.#emit(textFrame('{"reasoning_content":', text));
    else this.#reasoning += text;
  }

  #takeContent(text: string): void {
    this.#contentCharacters += text.length;
    if (this.#options.stream) {
      if (this.#options.callFirst && this.#calls.count === 0) this.#hold(text);
      else this.#sendContent(text);
    }
    if (!this.#options.stream || this.#options.keepContent) this.#content += text;
  }

  #hold(text: string): void {
    this.#held += text;
    if (this.#held.length > this.#options.longestReply) throw AttemptFailure.invalidOutput();
  }

  #sendContent(text: string): void {
    if (!this.#hasSentContent) {
      if (this.#lacksReasoning) this.#emit(NO_REASONING);
      this.#hasSentContent = true;
    }
    this.#emit(textFrame('{"content":', text));
  }

  #sendCall(fragments: readonly WireFragment[]): void {
    if (this.#held !== '' && fragments.length > 0) {
      this.#sendContent(this.#held);
      this.#held = '';
    }
    this.#hasSentCall ||= fragments.length > 0;
    for (const fragment of fragments) this.#emit(callFrame(fragment));
  }

  /** Nothing was said yet by a model that needs its reasoning back: what its client has gathered would be refused. */
  get #lacksReasoning(): boolean {
    if (!this.#options.reasoningAlways || this.#reasoningCharacters > 0) return false;
    return !this.#hasSentContent && !this.#hasSentCall;
  }

  /** One that the bus does not take would be silence, until somebody's patience ends. */
  #emit(delta: Frame): void {
    if (delta.body.length > this.#options.longestReply) throw AttemptFailure.invalidOutput();
    this.#options.emit(delta);
  }

  #boundLength(): void {
    const length = this.#reasoningCharacters + this.#contentCharacters + this.#callCharacters;
    if (length > this.#options.longestReply) throw AttemptFailure.invalidOutput();
  }

  /** Keys in the order of the interface. */
  #messageFrame(): Frame {
    const calls = this.#calls.wholeCalls();
    const withReasoning = this.#reasoning !== '' || this.#options.reasoningAlways;
    const message = {
      role: 'assistant',
      content: this.#content === '' && calls.length > 0 ? null : this.#content,
      refusal: null,
      ...(withReasoning ? { reasoning_content: this.#reasoning } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    const body = Buffer.from(JSON.stringify(message));
    // Characters may take several bytes each, and escapes more.
    if (body.length > this.#options.longestReply) throw AttemptFailure.invalidOutput();
    return frame(FrameKind.delta, body);
  }
}

/** An empty one counts as present. */
const NO_REASONING = textFrame('{"reasoning_content":', '');

/** Once a token: the text is the only part that needs to be serialised. */
function textFrame(prefix: string, text: string): Frame {
  return frame(FrameKind.delta, Buffer.from(`${prefix}${lineJson(text)}}`));
}

function callFrame(fragment: WireFragment): Frame {
  return frame(FrameKind.delta, Buffer.from(lineJson({ tool_calls: [fragment] })));
}

function parseErrorData(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return data;
  }
}
