import { accepts, type Case } from './case.ts';
import type { SentenceId } from './sentences.ts';
import { SHORT, type JsonBody } from './world.ts';

// What cases send as messages.

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

/** A conversation whose message tells the simulator how to answer. */
export const sim = (steering: JsonBody) => ({
  messages: [{ role: 'user', content: `Hello\n@sim ${JSON.stringify(steering)}` }],
});
