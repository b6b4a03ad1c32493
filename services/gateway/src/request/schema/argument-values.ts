import { countValues } from '@sluice/contracts';
import { type RequestFault, invalidValue } from './fault.ts';
import type { Message } from './message.ts';

/**
 * Maximum number of JSON values in the arguments of all earlier calls. Workers and runtimes parse these strings. An
 * object of 330,000 members takes half a second to parse; a string of the same size takes hardly any time. A model needs
 * at least two tokens per value, so no real answer has this many.
 */
const MAXIMUM_ARGUMENT_VALUES = 65_536;

/** Adds up the JSON values of all calls, and finds the first call at which the sum exceeds the limit. */
export function findArgumentsFault(messages: readonly Message[]): RequestFault | undefined {
  // Text has at most one value per character, so short arguments need no count.
  if (argumentCharacters(messages) <= MAXIMUM_ARGUMENT_VALUES) return undefined;
  let values = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant' || message.tool_calls === undefined) continue;
    for (const [place, { function: called }] of message.tool_calls.entries()) {
      values += valuesIn(called.arguments);
      if (values > MAXIMUM_ARGUMENT_VALUES) {
        return invalidValue(
          `messages[${index}].tool_calls[${place}].function.arguments`,
          `brings the JSON values in the arguments of all calls to ${values}: ` +
            `a request has at most ${MAXIMUM_ARGUMENT_VALUES} of them`,
        );
      }
    }
  }
  return undefined;
}

function argumentCharacters(messages: readonly Message[]): number {
  let characters = 0;
  for (const message of messages) {
    if (message.role !== 'assistant' || message.tool_calls === undefined) continue;
    for (const { function: called } of message.tool_calls) characters += called.arguments.length;
  }
  return characters;
}

/** Arguments that are not an object are forwarded as text and never parsed. */
function valuesIn(text: string): number {
  return text.trimStart().startsWith('{') ? countValues(Buffer.from(text)) : 0;
}
