import type { ServerResponse } from 'node:http';
import type { FinishReason, ServiceError } from '@sluice/contracts';
import type { CompletionSink } from '../domain/completion-sink.ts';
import { DONE_EVENT, KEEPALIVE, type ChunkTemplate } from './chunk-template.ts';
import { errorBody } from './error-reply.ts';
import { openReplyChannel, type ReplyChannel } from './reply-channel.ts';
import { PlainEvent, type StreamEvent } from './stream-event.ts';
import type { Flushable, TurnFlusher } from './turn-flusher.ts';

export interface EventStreamSettings {
  /** The status is sent this long after the runtime took the request, if no delta came before. */
  readonly lateStatusMs: number;
  readonly keepaliveMs: number;
  /** A client for whom more than this is held is cut off. */
  readonly bufferBytes: number;
}

export interface EventStreamOptions extends EventStreamSettings {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly template: ChunkTemplate;
  readonly includeUsage: boolean;
  readonly flusher: TurnFlusher;
  readonly clock: () => number;
  /** The stream was cut off: its client does not keep up, or, with an error, it could not be written. */
  readonly onCutOff: (error?: unknown) => void;
}

/** For a client to take what is held for it and the error event: as long as one is given that takes nothing. */
const ERROR_FLUSH_MS = 30_000;

/** A completion as server-sent events. Until the first delta nothing is sent, and a failure can still be a status. */
export class EventStream implements CompletionSink, Flushable {
  readonly #options: EventStreamOptions;
  #channel: ReplyChannel | undefined;
  #lateStatus: NodeJS.Timeout | undefined;
  /** None, rather than an empty list, which would grow old with its stream until the next event comes. */
  #pending: StreamEvent[] | undefined;
  #pendingBytes = 0;
  /** The last piece that was larger by itself than what may be held, until it has been taken. */
  #burstBytes = 0;
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

  /** The status has been sent: a failure can only be an event. */
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
    // It counts from the moment that the next runtime takes the request.
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

  /** The error event, and then a cut connection: several clients take a proper end for a whole answer. */
  fail(error: ServiceError): void {
    this.#add(new PlainEvent(Buffer.from(`data: ${errorBody(error)}\n\n`)));
    this.#over = true;
    this.#write();
    this.#channel?.cut(ERROR_FLUSH_MS);
  }

  /** Nothing more is sent. Call it whatever the end was. */
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

  /** Called now and then: keeps an idle connection open. */
  checkTime(now: number): void {
    if (this.#channel === undefined || this.#over) return;
    if (now - this.#writtenAt < this.#options.keepaliveMs) return;
    this.#add(KEEPALIVE);
    this.#write();
  }

  #commit(): void {
    if (this.#channel !== undefined) return;
    clearTimeout(this.#lateStatus);
    const { response, headers, template } = this.#options;
    this.#channel = openReplyChannel(response, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    this.#add(template.role());
  }

  #add(event: StreamEvent): void {
    if (this.#over) return;
    if (this.#pending === undefined) {
      this.#pending = [event];
      this.#options.flusher.schedule(this);
    } else this.#pending.push(event);
    this.#pendingBytes += event.size;
  }

  #write({ last = false } = {}): void {
    if (this.#channel === undefined || this.#pending === undefined) return;
    const { bufferBytes } = this.#options;
    const held = this.#channel.heldBytes;
    // More than a client that keeps up would ever leave: it is cut off, not buffered for.
    if (held > bufferBytes + this.#burstBytes) {
      this.#cutOff();
      return;
    }
    // So much at once takes any client a while to read.
    if (held <= bufferBytes) this.#burstBytes = 0;
    if (this.#pendingBytes > bufferBytes) this.#burstBytes = this.#pendingBytes;
    if (last) this.#channel.end(this.#pendingBytes, this.#render);
    else this.#channel.write(this.#pendingBytes, this.#render);
    this.#pending = undefined;
    this.#pendingBytes = 0;
    this.#writtenAt = this.#options.clock();
  }

  /** A property, not a method: it is handed to the channel for every write. */
  readonly #render = (target: Buffer, offset: number): number => {
    let at = offset;
    for (const event of this.#pending ?? []) at = event.write(target, at);
    return at;
  };

  #cutOff(error?: unknown): void {
    this.#over = true;
    this.#pending = undefined;
    this.#channel?.cut(0);
    this.#options.onCutOff(error);
  }
}
