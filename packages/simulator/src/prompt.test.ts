import { expect, test } from 'vitest';
import type { ChatMessage, ChatTool } from './chat-request.ts';
import { promptTokens } from './prompt.ts';

const question: ChatMessage = { role: 'user', content: 'What is a sluice?' };
const tool: ChatTool = {
  type: 'function',
  function: { name: 'look', description: 'Looks around.', parameters: { type: 'object' } },
};

test('the names, descriptions and parameters of tools are a part of the prompt', () => {
  const named: ChatTool = { type: 'function', function: { name: 'look' } };
  const counts = [undefined, [], [named], [tool], [tool, tool]].map(
    (tools) => promptTokens({ messages: [question], tools }).length,
  );
  const [none = 0, empty, ...more] = counts;
  expect(empty).toBe(none);
  expect(more).toEqual(more.toSorted((one, other) => one - other));
  expect(new Set([none, ...more]).size).toBe(4);
  expect(more[0]).toBeGreaterThan(none);
});

test('earlier reasoning is a part of the prompt, with either name of its field', () => {
  const turn = (fields: object) =>
    promptTokens({ messages: [question, { role: 'assistant', content: 'A gate.', ...fields }] });
  expect(turn({ reasoning: 'Let me see.' })).toEqual(turn({ reasoning_content: 'Let me see.' }));
  expect(turn({ reasoning: 'Let me see.' }).length).toBeGreaterThan(turn({}).length);
});
