import { type AnswerPlan, cutParts } from './answer.ts';
import { TokenSequence } from './prompt.ts';

/**
 * The first `count` tokens of an answer, as token ids. If the client sends the answer back, the next prompt contains the
 * same ids, so the prefix cache can hold them.
 */
export function generatedTokens(plan: AnswerPlan, count: number): number[] {
  const sequence = new TokenSequence();
  for (const part of cutParts(plan.parts, count)) {
    if (part.kind === 'reasoning') sequence.reasoning(part.text);
    else if (part.kind === 'call') sequence.call(part.name, part.text);
    else sequence.text(part.text);
  }
  return count < plan.tokens ? sequence.ids : sequence.mark('end').ids;
}
