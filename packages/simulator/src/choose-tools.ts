import type { ChatRequest, ChatTool } from './chat-request.ts';
import { lastUserText } from './prompt.ts';
import type { SeededRandom } from './random.ts';
import { RefusedRequest } from './refusal.ts';
import type { Steering } from './steering.ts';

function steeredTools(tools: readonly ChatTool[], wanted: string | readonly string[]): ChatTool[] {
  return [wanted].flat().map((name) => {
    const tool = tools.find((candidate) => candidate.function.name === name);
    if (tool !== undefined) return tool;
    throw new RefusedRequest(
      400,
      'The @sim line in the last user message names a tool that is not in `tools`.',
      'tools',
    );
  });
}

// Finds the tools that a text mentions. Both "get_weather" and "get weather" mention get_weather.
function mentionedTools(tools: readonly ChatTool[], text: string): ChatTool[] {
  const spoken = text.toLowerCase();
  return tools.filter(({ function: { name } }) => {
    const plain = name.toLowerCase();
    return spoken.includes(plain) || spoken.includes(plain.replaceAll(/[_-]+/g, ' '));
  });
}

/** The tools that this answer calls, in order. Empty when it answers with text. */
export function chooseTools(
  request: ChatRequest,
  orders: Steering,
  random: SeededRandom,
): readonly ChatTool[] {
  const { tools, messages } = request;
  const choice = request.tool_choice ?? 'auto';
  if (orders.tool !== undefined && !tools) {
    throw new RefusedRequest(
      400,
      'The @sim line in the last user message orders a tool call; send `tools` with it.',
      'tools',
    );
  }
  if (!tools) return [];
  const steered = () => (orders.tool === undefined ? undefined : steeredTools(tools, orders.tool));
  if (orders.breaks === 'tool_choice' && choice !== 'auto') {
    return steered() ?? (choice === 'none' ? tools.slice(0, 1) : []);
  }
  if (choice === 'none') return [];
  if (typeof choice === 'object') return steeredTools(tools, choice.function.name);
  const asked = messages.at(-1)?.role === 'user';
  if (choice === 'auto' && !asked) return [];
  let chosen = steered() ?? mentionedTools(tools, lastUserText(messages));
  if (choice === 'required' && chosen.length === 0) chosen = [random.pick(tools)];
  if (request.parallel_tool_calls !== false) return chosen;
  if (orders.breaks !== 'parallel_tool_calls') return chosen.slice(0, 1);
  return chosen.length > 1 ? chosen : [...chosen, ...chosen];
}
