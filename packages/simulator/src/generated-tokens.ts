import { type AnswerPlan, cutParts } from './answer.ts';
import { TokenSequence } from './prompt.ts';

/** The first `count` tokens of an answer, in the form in which the prompt of the next turn contains them. */
export function generatedTokens(plan: AnswerPlan, count: number): number[] {
  const sequence = new TokenSequence();
  for (const part of cutParts(plan.parts, count)) {
    if (part.kind === 'reasoning') sequence.reasoning(part.text);
    else if (part.kind === 'call') sequence.call(part.name, part.text);
    else sequence.text(part.text);
  }
  return count < plan.tokens ? sequence.ids : sequence.mark('end').ids;
}
