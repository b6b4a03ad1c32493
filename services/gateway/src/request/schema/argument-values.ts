import { type RequestFault, invalidValue } from './fault.ts';
import type { Message } from './message.ts';
import { countValues } from './nesting.ts';

/**
 * How many JSON values the arguments of all earlier calls may hold together. Workers and runtimes parse these strings:
 * an object of 330,000 members takes half a second, and a string of as many bytes hardly any time. A model that writes
 * 65,536 values generates at least twice as many tokens.
 */
const MAXIMUM_ARGUMENT_VALUES = 65_536;

/** The first call whose arguments, added to those before them, hold more JSON values than a request may have. */
export function findArgumentsFault(messages: readonly Message[]): RequestFault | undefined {
  // No text holds more values than it has characters: only long arguments have to be looked into.
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

/** What is no object is handed on as it is, and parsed by nothing. */
function valuesIn(text: string): number {
  return text.trimStart().startsWith('{') ? countValues(Buffer.from(text)) : 0;
}
