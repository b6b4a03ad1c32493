import type { ChatRequest, ChatTool } from './chat-request.ts';
import { lastUserText } from './prompt.ts';
import type { SeededRandom } from './random.ts';
import { RefusedRequest } from './refusal.ts';
import type { Steering } from './steering.ts';

/** The tools that the `@sim` line or `tool_choice` names. */
function toolsNamed(tools: readonly ChatTool[], wanted: string | readonly string[]): ChatTool[] {
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

/** The tools that a text mentions. Both "get_weather" and "get weather" mention get_weather. */
function mentionedTools(tools: readonly ChatTool[], text: string): ChatTool[] {
  const lowerCased = text.toLowerCase();
  return tools.filter(({ function: { name } }) => {
    const plain = name.toLowerCase();
    return lowerCased.includes(plain) || lowerCased.includes(plain.replaceAll(/[_-]+/g, ' '));
  });
}

/** The tools that this answer calls, in order. Empty when it answers with text. */
export function chooseTools(
  request: ChatRequest,
  steering: Steering,
  random: SeededRandom,
): readonly ChatTool[] {
  const { tools, messages } = request;
  const choice = request.tool_choice ?? 'auto';
  if (steering.tool !== undefined && !tools) {
    throw new RefusedRequest(
      400,
      'The @sim line in the last user message asks for a tool call; send `tools` with it.',
      'tools',
    );
  }
  if (!tools) return [];
  const steered = () =>
    steering.tool === undefined ? undefined : toolsNamed(tools, steering.tool);
  // The answer has to violate `tool_choice`: it calls a tool for `none`, and is text for `required` or a named tool.
  if (steering.breaks === 'tool_choice' && choice !== 'auto') {
    return steered() ?? (choice === 'none' ? tools.slice(0, 1) : []);
  }
  if (choice === 'none') return [];
  if (typeof choice === 'object') return toolsNamed(tools, choice.function.name);
  // After the results of a tool, the answer is text.
  if (choice === 'auto' && messages.at(-1)?.role !== 'user') return [];
  let chosen = steered() ?? mentionedTools(tools, lastUserText(messages));
  if (choice === 'required' && chosen.length === 0) chosen = [random.pick(tools)];
  if (request.parallel_tool_calls !== false) return chosen;
  // From here on, the request permits at most one call. `breaks` makes the answer have at least two.
  if (steering.breaks !== 'parallel_tool_calls') return chosen.slice(0, 1);
  return chosen.length > 1 ? chosen : [...chosen, ...chosen];
}
