import type { SimulatedAnswer } from '@sluice/simulator';
import type { CollectedAnswer, CountedTokens } from './answer-collector.ts';
import type { Exchange } from './exchange.ts';
import type { Expectation } from './scenarios.ts';

/**
 * `left`: the client disconnected early, as its scenario says. `limited`: status 429. `disturbed`: allowed only if a
 * fault explains it. `wrong`: never allowed.
 */
export const OUTCOMES = [
  'answered',
  'refused as expected',
  'broken off as requested',
  'left',
  'limited',
  'disturbed',
  'wrong',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Judgement {
  readonly outcome: Outcome;
  /** The kind of a disturbance, or what is wrong. It never contains text of an answer. */
  readonly detail?: string;
}

/** Statuses that count as a disturbance. */
const DISTURBANCE_STATUSES = new Set([500, 502, 503]);

/** Compares the result of a request with its expectation. Whether a fault explains a disturbance is decided later. */
export function judgeExchange(seen: Exchange, expected: Expectation): Judgement {
  if (seen.unreadable !== undefined) return wrong(`unreadable: ${seen.unreadable}`);
  if (seen.ending === 'hung') return wrong('no end within 90 s');
  if (seen.ending === 'unreachable') {
    return { outcome: 'disturbed', detail: 'no connection' };
  }
  if (seen.ending === 'left') return judgeLeft(seen, expected);
  if (seen.status === 200) return judgeAnswer(seen, expected);
  return judgeRefusal(seen, expected);
}

function judgeLeft({ answer }: Exchange, expected: Expectation): Judgement {
  if (expected.kind !== 'left') return wrong('disconnected although the scenario does not');
  return answer === undefined ? { outcome: 'left' } : beginning(answer, expected.answer, 'left');
}

function judgeRefusal({ status, errorCode, ending }: Exchange, expected: Expectation): Judgement {
  if (ending === 'cut') return { outcome: 'disturbed', detail: `a cut refusal (${status})` };
  if (expected.kind === 'refusal' && status === expected.status && errorCode === expected.code) {
    return { outcome: 'refused as expected' };
  }
  if (status === 429) return { outcome: 'limited' };
  if (status !== undefined && DISTURBANCE_STATUSES.has(status)) {
    return { outcome: 'disturbed', detail: `${status} ${errorCode ?? 'upstream_unavailable'}` };
  }
  return wrong(`an unexpected refusal: ${status} ${errorCode}`);
}

function judgeAnswer({ ending, answer }: Exchange, expected: Expectation): Judgement {
  if (expected.kind === 'refusal') return wrong('an answer where a refusal was due');
  // A reply that is one JSON document is parsed only when it is complete.
  if (answer === undefined && ending === 'cut') return { outcome: 'disturbed', detail: 'cut' };
  if (expected.kind === 'list') return { outcome: 'answered' };
  if (answer === undefined) return wrong('a 200 without an answer');
  if (ending === 'complete') {
    if (!answer.done) return wrong('a clean end without [DONE]');
    if (answer.errorCode !== undefined) return wrong('a clean end after an error');
    if (expected.kind === 'broken answer') {
      return wrong('a whole answer although it was told to fail');
    }
    if (!isWhole(answer, expected.answer)) {
      return wrong(`the answer differs (${difference(answer, expected.answer)})`);
    }
    // A scenario that leaves early does not say whether tokens are counted.
    if (expected.kind === 'answer' && (answer.tokens !== undefined) !== expected.counted) {
      return wrong(`tokens are ${expected.counted ? 'not counted' : 'counted unasked'}`);
    }
    return { outcome: 'answered' };
  }
  if (answer.done) return wrong('cut after [DONE]');
  if (expected.kind === 'broken answer') {
    if (answer.finishReason !== null) return wrong('a broken answer that says why it ended');
    if (answer.errorCode === undefined) {
      return beginning(answer, expected.answer, 'disturbed', 'cut without an error event');
    }
    return lengthOf(answer) < lengthOf(expected.answer)
      ? beginning(answer, expected.answer, 'disturbed', 'broken off too early')
      : beginning(answer, expected.answer, 'broken off as requested');
  }
  const how = answer.errorCode === undefined ? 'cut' : 'an error event, then cut';
  return beginning(answer, expected.answer, 'disturbed', how);
}

/** Checks the part of an answer that arrived. It must be the beginning of the answer, with nothing lost or repeated. */
function beginning(
  seen: CollectedAnswer,
  expected: SimulatedAnswer,
  outcome: Outcome,
  detail?: string,
): Judgement {
  const reasoning = expected.reasoning ?? '';
  const content = expected.content ?? '';
  const fits =
    reasoning.startsWith(seen.reasoning) &&
    content.startsWith(seen.content) &&
    (seen.content === '' || seen.reasoning === reasoning) &&
    seen.toolCalls.every(({ name, arguments: text }, index) => {
      const call = expected.toolCalls[index];
      return call?.name.startsWith(name) === true && call.arguments.startsWith(text);
    }) &&
    // A client that receives a finish reason treats the answer as complete.
    (seen.finishReason === null || isWhole(seen, expected));
  if (!fits) return wrong(`a beginning differs (${difference(seen, expected)})`);
  return detail === undefined ? { outcome } : { outcome, detail };
}

function lengthOf({ reasoning, content }: Pick<SimulatedAnswer, 'reasoning' | 'content'>): number {
  return (reasoning?.length ?? 0) + (content?.length ?? 0);
}

function isWhole(seen: CollectedAnswer, expected: SimulatedAnswer): boolean {
  return (
    seen.reasoning === (expected.reasoning ?? '') &&
    seen.content === (expected.content ?? '') &&
    seen.finishReason === expected.finishReason &&
    (seen.tokens === undefined || countsMatch(seen.tokens, expected)) &&
    seen.toolCalls.length === expected.toolCalls.length &&
    expected.toolCalls.every(
      ({ name, arguments: text }, index) =>
        seen.toolCalls[index]?.name === name && seen.toolCalls[index].arguments === text,
    )
  );
}

function countsMatch(seen: CountedTokens, expected: SimulatedAnswer): boolean {
  return seen.prompt === expected.promptTokens && seen.completion === expected.completionTokens;
}

/** Describes a difference in numbers only: reports must not contain text of answers. */
function difference(seen: CollectedAnswer, expected: SimulatedAnswer): string {
  return [
    `reasoning ${seen.reasoning.length} of ${expected.reasoning?.length ?? 0} characters`,
    `content ${seen.content.length} of ${expected.content?.length ?? 0}`,
    `calls ${seen.toolCalls.length} of ${expected.toolCalls.length}`,
    `ended by ${seen.finishReason}, not ${expected.finishReason}`,
    `${seen.tokens?.prompt} and ${seen.tokens?.completion} tokens of ${expected.promptTokens} and ${expected.completionTokens}`,
  ].join(', ');
}

function wrong(detail: string): Judgement {
  return { outcome: 'wrong', detail };
}
