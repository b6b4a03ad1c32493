import type { FinishReason } from '@sluice/contracts';
import type { CompletionSink } from './completion-sink.ts';

/** What a completion has used and given so far. Always current: its client may leave at any moment. */
export class CompletionTally {
  readonly stream: boolean;
  /** As estimated for its admission. */
  readonly inputTokens: number;
  /** To how many workers it was offered. */
  offers = 0;
  /** Those of them that were refused before they were accepted. */
  refusedOffers = 0;
  /** Of the answer: in a stream each goes on to the client, and is about a token; a whole reply is one. */
  pieces = 0;
  firstPieceAt: number | undefined;
  /** The usage object, once the worker sent it. */
  usage: Uint8Array | undefined;
  /** The whole answer is there. */
  finished = false;

  constructor({ stream, inputTokens }: { stream: boolean; inputTokens: number }) {
    this.stream = stream;
    this.inputTokens = inputTokens;
  }
}

/** Counts on the way to another sink. */
export class TallyingSink implements CompletionSink {
  readonly #sink: CompletionSink;
  readonly #tally: CompletionTally;
  readonly #clock: () => number;

  constructor(sink: CompletionSink, tally: CompletionTally, clock: () => number) {
    this.#sink = sink;
    this.#tally = tally;
    this.#clock = clock;
  }

  get delivered(): boolean {
    return this.#sink.delivered;
  }

  started(): void {
    this.#sink.started();
  }

  delta(body: Uint8Array): void {
    this.#tally.pieces += 1;
    this.#tally.firstPieceAt ??= this.#clock();
    this.#sink.delta(body);
  }

  usage(body: Uint8Array): void {
    this.#tally.usage = body;
    this.#sink.usage(body);
  }

  restart(): void {
    this.#tally.pieces = 0;
    this.#tally.firstPieceAt = undefined;
    this.#tally.usage = undefined;
    this.#sink.restart();
  }

  finish(reason: FinishReason): void {
    this.#tally.finished = true;
    this.#sink.finish(reason);
  }
}
