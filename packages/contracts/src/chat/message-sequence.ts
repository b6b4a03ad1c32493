import { type RequestFault, invalidValue, missingParameter } from './fault.ts';
import type { Message } from './message.ts';

/** The rules that no message can keep alone: calls are answered, each once, before anything else is said. */
export function findSequenceFault(messages: readonly Message[]): RequestFault | undefined {
  // Ids may repeat within a turn, so they are counted.
  const unanswered = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const open = unanswered.get(message.tool_call_id);
      if (open === undefined) {
        return invalidValue(
          `messages[${index}]`,
          'must answer, once, a call of the nearest earlier assistant message that has tool_calls',
        );
      }
      if (open === 1) unanswered.delete(message.tool_call_id);
      else unanswered.set(message.tool_call_id, open - 1);
      continue;
    }
    if (unanswered.size > 0) {
      return invalidValue(
        `messages[${index}]`,
        'must be a tool message: the tool_calls before it are not all answered',
      );
    }
    if (message.role !== 'assistant') continue;
    if (message.tool_calls === undefined) {
      if (message.content === undefined) return missingParameter(`messages[${index}].content`);
      continue;
    }
    for (const { id } of message.tool_calls) unanswered.set(id, (unanswered.get(id) ?? 0) + 1);
  }
  return undefined;
}
