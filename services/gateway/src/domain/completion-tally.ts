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

  countPiece(now: number): void {
    this.pieces += 1;
    this.firstPieceAt ??= now;
  }

  /** Another worker starts the answer again: the pieces and the usage of the one before are not billed. */
  restart(): void {
    this.pieces = 0;
    this.firstPieceAt = undefined;
    this.usage = undefined;
  }
}
