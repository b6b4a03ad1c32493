import { MAX_RECORDED_OFFERS, readTokenUsage, type TokenUsage } from '@sluice/contracts';

/** An offer to a worker. The times are on the clock of the request. */
export interface Offer {
  readonly worker: string;
  readonly workerName: string | undefined;
  readonly target: string;
  readonly offeredAt: number;
  /** Undefined until the offer has ended. */
  end:
    | { readonly at: number; readonly kind: string; readonly reason: string | undefined }
    | undefined;
}

/**
 * What a completion has used and produced so far. It is updated with every piece of the answer, because the record of the
 * request is made from it if the client disconnects.
 */
export class CompletionCounts {
  readonly stream: boolean;
  /** The estimate used for admission. */
  readonly inputTokens: number;
  /** Number of workers that the job was offered to. */
  offers = 0;
  /** The first `MAX_RECORDED_OFFERS` of these offers. */
  recordedOffers: readonly Offer[] = [];
  /** The target of the latest offer. */
  target: string | undefined;
  /** Number of offers that a worker refused. */
  refusedOffers = 0;
  /**
   * Number of pieces of the answer. In a stream, a piece holds about one token. An answer that is not streamed is one
   * piece.
   */
  pieces = 0;
  firstPieceAt: number | undefined;
  /** Prompt tokens that the cache of the worker was expected to hold. */
  expectedCachedTokens = 0;
  /** The JSON of the usage object, once the worker has sent it. */
  usage: Uint8Array | undefined;
  #parsedUsage: { readonly from: Uint8Array; readonly counts: TokenUsage | null } | undefined;
  /** Whether the answer is complete. */
  finished = false;

  constructor({ stream, inputTokens }: { stream: boolean; inputTokens: number }) {
    this.stream = stream;
    this.inputTokens = inputTokens;
  }

  addOffer(offer: Offer): void {
    this.offers += 1;
    this.target = offer.target;
    if (this.recordedOffers.length >= MAX_RECORDED_OFFERS) return;
    // `push` would reserve memory for 16 more elements, for as long as the reply is open:
    // https://github.com/v8/v8/blob/main/src/objects/js-objects.h (`NewElementsCapacity`)
    this.recordedOffers = [...this.recordedOffers, offer];
  }

  countPiece(now: number): void {
    this.pieces += 1;
    this.firstPieceAt ??= now;
  }

  /** The token counts. Null if the worker has not sent them, or sent them in a form that this version cannot read. */
  readUsage(): TokenUsage | null {
    const from = this.usage;
    if (from === undefined) return null;
    if (this.#parsedUsage?.from !== from) this.#parsedUsage = { from, counts: parseUsage(from) };
    return this.#parsedUsage.counts;
  }

  /** Another worker starts the answer again. The pieces and usage of the previous worker are not billed. */
  restart(): void {
    this.pieces = 0;
    this.firstPieceAt = undefined;
    this.usage = undefined;
  }
}

function parseUsage({ buffer, byteOffset, byteLength }: Uint8Array): TokenUsage | null {
  try {
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
    return readTokenUsage(JSON.parse(text)) ?? null;
  } catch {
    return null;
  }
}
