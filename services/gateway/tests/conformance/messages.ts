import { accepts, type Case } from './case.ts';
import type { SentenceId } from './sentences.ts';
import { SHORT } from './world.ts';

/** What the cases about messages and about their history send. */

export const user = { role: 'user', content: SHORT };
export const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'look_up', arguments: '{}' },
});
export const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map(call),
});
export const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'found' });

export type Messages = readonly unknown[];

export function takes(title: string, proves: readonly SentenceId[], messages: Messages): Case {
  return accepts(title, proves, { messages });
}
