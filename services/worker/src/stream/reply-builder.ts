import { FrameKind, frame, type FinishReason, type Frame, type Usage } from '@sluice/contracts';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { classifyErrorEvent } from '../dialects/classify-error.ts';
import { parseJson } from '../json/json.ts';
import { finishReasonOf } from './finish-reason.ts';
import { singleLineJson } from './line-json.ts';
import type { RuntimeChunk, RuntimeUsage } from './read-chunk.ts';
import type { ServerSentEvent } from './sse-events.ts';
import { TemplatedChunkReader } from './templated-chunk-reader.ts';
import {
  ToolCalls,
  type ToolCallsOptions,
  type WireCall,
  type WireFragment,
} from './tool-calls.ts';
import { wireUsage } from './usage.ts';

const END_MARKER = '[DONE]';

export interface ReplyBuilderOptions extends ToolCallsOptions {
  readonly stream: boolean;
  /** Replies of this model always have `reasoning_content`, even if it is empty. */
  readonly reasoningAlways: boolean;
  /** Whether the content of a stream is kept, because it is checked at the end. */
  readonly keepContent: boolean;
  /**
   * Whether content is held back until the first call. A reply that must have a call and has none fails, and nothing of
   * it must have been sent then.
   */
  readonly callFirst: boolean;
  readonly reportCached: boolean;
  readonly promptTokens: number;
  /** The `max_tokens` of the request to the runtime, if any. */
  readonly outputBound: number | undefined;
  /** Maximum number of tokens of prompt and output together, if known. */
  readonly contextLength: number | undefined;
  /** Limit for one message: a whole reply that does not stream, or one delta of a stream. */
  readonly maxReplyBytes: number;
  /** Sends a frame to the gateway. */
  readonly emit: (frame: Frame) => void;
}

export interface FinishedReply {
  /** The frames to send before `finished`. */
  readonly frames: readonly Frame[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

/**
 * Turns the events of a runtime's stream into frames. Throws an AttemptFailure or a MalformedStreamError if the runtime
 * reports an error or sends an invalid event.
 */
export class ReplyBuilder {
  readonly #options: ReplyBuilderOptions;
  readonly #reader = new TemplatedChunkReader();
  readonly #calls: ToolCalls;
  #content = '';
  /** Content of a stream that is held back until the first call. */
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

  constructor(options: ReplyBuilderOptions) {
    this.#options = options;
    this.#calls = new ToolCalls(options);
  }

  /** The output is complete; usage may still follow. */
  get answered(): boolean {
    return this.#finishReason !== undefined;
  }

  /** The stream has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Chunks with output so far: about one for each token. */
  get chunks(): number {
    return this.#chunks;
  }

  get content(): string {
    return this.#content;
  }

  get calls(): WireCall[] {
    return this.#calls.wholeCalls();
  }

  add({ event, data }: ServerSentEvent): void {
    if (this.#ended) return;
    if (event === 'error') throw classifyErrorEvent(parseErrorData(data));
    if (data === END_MARKER) {
      this.end();
      return;
    }
    const chunk = this.#reader.read(data);
    if (chunk.error !== undefined && chunk.error !== null) throw classifyErrorEvent(chunk.error);
    this.#addChunk(chunk);
  }

  /** Call it at the end marker or the end of the connection. Throws if there was no finish reason before. */
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

  /** vLLM reports `tool_calls` for a stream with a call even if the length limit cut the call off. */
  get #endsWithinCall(): boolean {
    return (
      this.#finishReason === 'tool_calls' && this.#reachedLimit && this.#calls.lastIsUnfinished
    );
  }

  /** Whether the runtime's token counts reach the output bound or the context length. */
  get #reachedLimit(): boolean {
    const { promptTokens, completionTokens } = this.#usage ?? {};
    if (promptTokens === undefined || completionTokens === undefined) return false;
    const { outputBound = Infinity, contextLength = Infinity } = this.#options;
    return completionTokens >= outputBound || promptTokens + completionTokens >= contextLength;
  }

  #addChunk({ reasoning, content, calls, finishReason, usage }: RuntimeChunk): void {
    if (reasoning !== '') this.#addReasoning(reasoning);
    if (content !== '') this.#addContent(content);
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

  #addReasoning(text: string): void {
    if (this.#hasSentContent) throw AttemptFailure.brokenPromise('reasoning_late');
    this.#reasoningCharacters += text.length;
    // Blank reasoning does not count: a client that trims it cannot send it back, so the ids of calls must not demand
    // it.
    this.#hasReasoned ||= /\S/.test(text);
    if (this.#options.stream) this.#emit(textFrame('{"reasoning_content":', text));
    else this.#reasoning += text;
  }

  #addContent(text: string): void {
    this.#contentCharacters += text.length;
    if (this.#options.stream) {
      if (this.#options.callFirst && this.#calls.count === 0) this.#hold(text);
      else this.#sendContent(text);
    }
    if (!this.#options.stream || this.#options.keepContent) this.#content += text;
  }

  #hold(text: string): void {
    this.#held += text;
    if (this.#held.length > this.#options.maxReplyBytes) throw AttemptFailure.invalidOutput();
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

  /**
   * Whether empty reasoning must be sent first. A model that requires its reasoning back would refuse a history in
   * which the field is missing.
   */
  get #lacksReasoning(): boolean {
    if (!this.#options.reasoningAlways || this.#reasoningCharacters > 0) return false;
    return !this.#hasSentContent && !this.#hasSentCall;
  }

  /** Fails the attempt at once if the delta is too large for a message of the bus. */
  #emit(delta: Frame): void {
    if (delta.body.length > this.#options.maxReplyBytes) throw AttemptFailure.invalidOutput();
    this.#options.emit(delta);
  }

  #boundLength(): void {
    const length = this.#reasoningCharacters + this.#contentCharacters + this.#callCharacters;
    if (length > this.#options.maxReplyBytes) throw AttemptFailure.invalidOutput();
  }

  /** The members are in the order of the API. */
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
    // Checked again in bytes, because a character may take several bytes, and an escape even more.
    if (body.length > this.#options.maxReplyBytes) throw AttemptFailure.invalidOutput();
    return frame(FrameKind.delta, body);
  }
}

/** Reasoning that is present but empty. */
const NO_REASONING = textFrame('{"reasoning_content":', '');

/** Called for every token, so only the text is serialised. */
function textFrame(prefix: string, text: string): Frame {
  return frame(FrameKind.delta, Buffer.from(`${prefix}${singleLineJson(text)}}`));
}

function callFrame(fragment: WireFragment): Frame {
  return frame(FrameKind.delta, Buffer.from(singleLineJson({ tool_calls: [fragment] })));
}

function parseErrorData(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return data;
  }
}
