import type { ServerResponse } from 'node:http';
import type { AnswerPlan } from './answer.ts';
import type { Reply } from './generation.ts';
import { errorBody } from './refusal.ts';
import { sendJson } from './send-json.ts';
import { steeredFault } from './steering.ts';
import { type ReplyIdentity, wholeBody } from './wire-shapes.ts';

/** An answer as one JSON document, sent when it is complete. */
export class WholeReply implements Reply {
  readonly stepwise = false;
  readonly #plan: AnswerPlan;
  readonly #response: ServerResponse;
  readonly #identity: ReplyIdentity;
  #cachedTokens = 0;

  constructor(plan: AnswerPlan, response: ServerResponse, identity: ReplyIdentity) {
    this.#plan = plan;
    this.#response = response;
    this.#identity = identity;
  }

  begin(cachedTokens: number): void {
    this.#cachedTokens = cachedTokens;
  }

  deliver(): void {
    const { steering } = this.#plan;
    const fault = steeredFault(steering);
    if (fault?.kind === 'cut') {
      this.#response.destroy();
      return;
    }
    if (fault?.kind === 'fail') {
      const body = errorBody(500, 'The failure ordered by the @sim line.');
      sendJson(this.#response, 500, JSON.stringify(body));
      return;
    }
    const body = JSON.stringify(wholeBody(this.#plan, this.#identity, this.#cachedTokens));
    const isMalformed = steering.malformed_after !== undefined;
    // Without its closing brackets, the body is not JSON.
    sendJson(this.#response, 200, isMalformed ? body.slice(0, -3) : body);
  }

  abandon(): void {
    // Nothing was written yet, and the engine does not call an aborted reply again.
  }
}
