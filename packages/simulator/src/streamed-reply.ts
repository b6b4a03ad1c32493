import type { ServerResponse } from 'node:http';
import { type AnswerPlan, partTokens } from './answer.ts';
import { EventStream } from './event-stream.ts';
import type { Reply } from './generation.ts';
import { errorBody } from './refusal.ts';
import { steeredFault } from './steering.ts';
import { ChunkShapes, type ReplyIdentity } from './wire-shapes.ts';

// Maximum number of tokens in one batch, for a slow client that reads again after a pause.
const catchUpTokens = 256;

/** An answer as a stream of chunks, with one token each. */
export class StreamedReply implements Reply {
  readonly stepwise = true;
  readonly #plan: AnswerPlan;
  readonly #stream: EventStream;
  readonly #shapes: ChunkShapes;
  #cachedTokens = 0;
  #sent = 0;
  #produced = 0;
  #concluded = false;
  #over = false;
  #waitingForDrain = false;
  // The position of the next token: its part, and the number of tokens already sent from this part.
  #part = 0;
  #within = 0;
  #calls = 0;

  constructor(plan: AnswerPlan, response: ServerResponse, identity: ReplyIdentity) {
    const { steering } = plan;
    this.#plan = plan;
    this.#shapes = new ChunkShapes(identity, plan.model.name);
    this.#stream = new EventStream(response, {
      splitBytes: steering.split,
      lineEnd: steering.crlf === true ? '\r\n' : '\n',
      comments: steering.comments === true,
    });
  }

  begin(cachedTokens: number): void {
    this.#cachedTokens = cachedTokens;
  }

  deliver(produced: number, concluded: boolean): void {
    this.#produced = produced;
    this.#concluded = concluded;
    if (!this.#waitingForDrain) this.#send();
  }

  /** The connection has closed: nothing more is written. */
  abandon(): void {
    this.#over = true;
    this.#stream.cancelOnceDrained(this.#resume);
  }

  readonly #resume = (): void => {
    this.#waitingForDrain = false;
    this.#send();
  };

  #send(): void {
    while (!this.#over) {
      if (this.#stream.blocked) {
        // The text can be generated again at any time, so a slow reader needs no buffer.
        this.#waitingForDrain = true;
        this.#stream.onceDrained(this.#resume);
        return;
      }
      const until = Math.min(this.#produced, this.#sent + catchUpTokens);
      if (this.#sent === 0 && until > 0) this.#sendRole();
      while (this.#sent < until) this.#sendToken();
      if (this.#sent === this.#produced) {
        if (this.#concluded) this.#conclude();
        else this.#stream.flush();
        return;
      }
      this.#stream.flush();
    }
  }

  #sendRole(): void {
    this.#stream.event(this.#shapes.chunk('{"role":"assistant","content":""}'));
  }

  #sendToken(): void {
    const delta = this.#nextDelta();
    this.#sent += 1;
    // A runtime that stops at the length limit reports this with its last token.
    const isLast = this.#sent === this.#plan.tokens && this.#plan.finishReason === 'length';
    const chunk = this.#shapes.chunk(delta, isLast ? 'length' : undefined);
    const isMalformed = this.#plan.steering.malformed_after === this.#sent - 1;
    // Without its closing brackets, the chunk is not JSON.
    this.#stream.event(isMalformed ? chunk.slice(0, -3) : chunk);
  }

  #nextDelta(): string {
    let part = this.#plan.parts[this.#part];
    while (part !== undefined && this.#within >= partTokens(part)) {
      if (part.kind === 'call') this.#calls += 1;
      this.#part += 1;
      this.#within = 0;
      part = this.#plan.parts[this.#part];
    }
    if (part === undefined) throw new RangeError('there are no more tokens');
    const index = this.#within;
    this.#within += 1;
    const { text, ends } = part;
    if (part.kind === 'call') {
      if (index === 0) {
        return this.#shapes.callStart(this.#calls, part.name, this.#plan.forcedTool);
      }
      return this.#shapes.callArguments(
        this.#calls,
        text.slice(ends[index - 2] ?? 0, ends[index - 1]),
      );
    }
    const token = text.slice(ends[index - 1] ?? 0, ends[index]);
    return part.kind === 'reasoning' ? this.#shapes.reasoning(token) : this.#shapes.content(token);
  }

  #conclude(): void {
    this.#over = true;
    const { steering, tokens, finishReason, includeUsage } = this.#plan;
    const fault = steeredFault(steering);
    if (fault?.kind === 'cut') {
      this.#stream.cut();
      return;
    }
    if (fault?.kind === 'fail') this.#sendFailure();
    else {
      if (this.#sent === 0) this.#sendRole();
      // The answer has too few tokens for the malformed line, so this line comes after the last token.
      if (steering.malformed_after !== undefined && steering.malformed_after >= tokens) {
        this.#stream.event(this.#shapes.chunk('{}').slice(0, -3));
      }
      if (finishReason !== 'length' || tokens === 0) {
        this.#stream.event(this.#shapes.chunk('{"content":""}', finishReason));
      }
      if (includeUsage && steering.usage !== false) {
        this.#stream.event(this.#shapes.usage(this.#plan, this.#cachedTokens));
      }
    }
    // vLLM sends `[DONE]` after an error too.
    if (steering.done !== false) this.#stream.event('[DONE]');
    this.#stream.end();
  }

  #sendFailure(): void {
    const body = JSON.stringify(errorBody(500, 'The failure ordered by the @sim line.'));
    this.#stream.event(body, this.#plan.steering.fail_as === 'event' ? 'error' : undefined);
  }
}
