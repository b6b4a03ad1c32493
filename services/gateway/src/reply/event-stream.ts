import { ServiceError, type FinishReason } from '@sluice/contracts';
import type { CompletionSink } from '../dispatch/job.ts';
import { errorBody } from '../edge/error-reply.ts';
import type { RequestContext } from '../edge/request-context.ts';
import { openReplyChannel, type ReplyChannel } from './chunked-socket.ts';
import type { Flushable, FlushBatcher } from './flush-batcher.ts';
import {
  type ChunkTemplate,
  DONE_EVENT,
  KEEPALIVE,
  StaticChunk,
  type SseChunk,
} from './sse-chunks.ts';

export interface EventStreamSettings {
  /** The status is sent with the first delta, or this long after the runtime accepted the request. */
  readonly lateStatusMs: number;
  readonly keepaliveMs: number;
  /** A client with more than this many unsent bytes is disconnected. */
  readonly bufferBytes: number;
}

export interface EventStreamOptions extends EventStreamSettings {
  readonly context: RequestContext;
  readonly template: ChunkTemplate;
  readonly includeUsage: boolean;
  readonly batcher: FlushBatcher;
  readonly clock: () => number;
}

const CHECK_INTERVAL_MS = 1_000;
/** How long a client may take to read the buffered bytes and the error event. */
const ERROR_FLUSH_MS = 30_000;

/** A completion as server-sent events. While nothing is sent, a failure is a plain error reply with its own status. */
export class EventStream implements CompletionSink, Flushable {
  readonly #options: EventStreamOptions;
  #channel: ReplyChannel | undefined;
  #lateStatus: NodeJS.Timeout | undefined;
  /**
   * Undefined while nothing is pending, because V8 could promote an empty array to its old generation while the stream
   * is idle.
   */
  #pending: SseChunk[] | undefined;
  #pendingBytes = 0;
  /** The size of the last write if it alone exceeded `bufferBytes`; 0 once the client has taken it. */
  #oversizedWriteBytes = 0;
  #usage: Uint8Array | undefined;
  #delivered = false;
  #over = false;
  #writtenAt = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  get delivered(): boolean {
    return this.#delivered;
  }

  /** Whether the status has been sent, so that a failure can only be an event. */
  get committed(): boolean {
    return this.#channel !== undefined;
  }

  started(): void {
    this.#lateStatus ??= setTimeout(() => this.#commit(), this.#options.lateStatusMs);
  }

  delta(body: Uint8Array): void {
    this.#delivered = true;
    this.#commit();
    this.#add(this.#options.template.delta(body));
  }

  usage(body: Uint8Array): void {
    this.#usage = body;
  }

  restart(): void {
    this.#usage = undefined;
    // The time starts over when the next runtime accepts the request.
    clearTimeout(this.#lateStatus);
    this.#lateStatus = undefined;
  }

  finish(reason: FinishReason): void {
    this.#commit();
    const { template, includeUsage } = this.#options;
    this.#add(template.finish(reason));
    if (includeUsage && this.#usage !== undefined) this.#add(template.usage(this.#usage));
    this.#add(DONE_EVENT);
    this.#over = true;
    this.#write({ last: true });
  }

  /** Sends the error event and breaks the connection. Some clients treat a proper end as a complete answer. */
  fail(error: ServiceError): void {
    this.#add(new StaticChunk(Buffer.from(`data: ${errorBody(error)}\n\n`)));
    this.#over = true;
    this.#write();
    this.#channel?.cut(ERROR_FLUSH_MS);
  }

  /** Stops all sending. Call it after `finish` and after `fail`. */
  dispose(): void {
    this.#over = true;
    clearTimeout(this.#lateStatus);
  }

  flush(): void {
    if (!this.#over) this.#write();
  }

  flushFailed(error: unknown): void {
    this.#cutOff(error);
  }

  /** Called at an interval. Sends a comment if the stream is idle. */
  checkTime(now: number): void {
    if (this.#channel === undefined || this.#over) return;
    if (now - this.#writtenAt < this.#options.keepaliveMs) return;
    this.#add(KEEPALIVE);
    this.#write();
  }

  #commit(): void {
    if (this.#channel !== undefined) return;
    clearTimeout(this.#lateStatus);
    const { context, template } = this.#options;
    this.#channel = openReplyChannel(context.response, {
      ...context.headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    this.#add(template.role());
  }

  #add(event: SseChunk): void {
    if (this.#over) return;
    if (this.#pending === undefined) {
      this.#pending = [event];
      this.#options.batcher.schedule(this);
    } else this.#pending.push(event);
    this.#pendingBytes += event.size;
  }

  #write({ last = false } = {}): void {
    if (this.#channel === undefined || this.#pending === undefined) return;
    const { bufferBytes } = this.#options;
    const held = this.#channel.heldBytes;
    // A client that does not keep up is disconnected, to bound the memory of its buffer.
    if (held > bufferBytes + this.#oversizedWriteBytes) {
      this.#cutOff();
      return;
    }
    // A single write above the limit is allowed, because any client needs a while to read it.
    if (held <= bufferBytes) this.#oversizedWriteBytes = 0;
    if (this.#pendingBytes > bufferBytes) this.#oversizedWriteBytes = this.#pendingBytes;
    if (last) this.#channel.end(this.#pendingBytes, this.#render);
    else this.#channel.write(this.#pendingBytes, this.#render);
    this.#pending = undefined;
    this.#pendingBytes = 0;
    this.#writtenAt = this.#options.clock();
  }

  /** A bound property, because it is passed to the channel for every write. */
  readonly #render = (target: Buffer, offset: number): number => {
    let at = offset;
    for (const event of this.#pending ?? []) at = event.write(target, at);
    return at;
  };

  /** Disconnects a client that does not keep up or, with an error, a stream that could not be written. */
  #cutOff(error?: unknown): void {
    const { context } = this.#options;
    this.#over = true;
    this.#pending = undefined;
    this.#channel?.cut(0);
    if (error !== undefined) context.failure ??= ServiceError.from(error);
    context.disconnect();
  }
}

/** Sends keepalive comments to all open streams with one timer. */
export class KeepaliveTimer implements Disposable {
  readonly #streams = new Set<EventStream>();
  readonly #timer: NodeJS.Timeout;

  constructor(clock: () => number) {
    this.#timer = setInterval(() => {
      const now = clock();
      for (const stream of this.#streams) stream.checkTime(now);
    }, CHECK_INTERVAL_MS).unref();
  }

  get size(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
