import { type ChatMessage, type ChatTool, textOf } from './chat-request.ts';
import { hashText } from './random.ts';
import { tokenNumbers } from './tokenizer.ts';

// Special tokens of the chat template. No text can produce them.
const mark = {
  tools: 1,
  system: 2,
  user: 3,
  assistant: 4,
  tool: 5,
  end: 6,
  thinking: 7,
  thinkingEnd: 8,
  call: 9,
  callEnd: 10,
} as const;
const textOffset = 1_000;

const roleMarks: Readonly<Record<ChatMessage['role'], number>> = {
  system: mark.system,
  developer: mark.system,
  user: mark.user,
  assistant: mark.assistant,
  tool: mark.tool,
};

/** Collects the token numbers of a prompt or of an answer. */
export class TokenSequence {
  readonly ids: number[] = [];

  text(text: string): this {
    for (const number of tokenNumbers(text)) this.ids.push(number + textOffset);
    return this;
  }

  mark(name: keyof typeof mark): this {
    this.ids.push(mark[name]);
    return this;
  }

  reasoning(text: string): this {
    return this.mark('thinking').text(text).mark('thinkingEnd');
  }

  call(name: string, argumentsText: string): this {
    return this.mark('call').text(name).text(argumentsText).mark('callEnd');
  }

  message(message: ChatMessage): this {
    this.ids.push(roleMarks[message.role]);
    const reasoning = message.reasoning ?? message.reasoning_content;
    if (reasoning) this.reasoning(reasoning);
    this.text(textOf(message));
    for (const call of message.tool_calls ?? []) {
      this.call(call.function.name, call.function.arguments);
    }
    return this.mark('end');
  }
}

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[] | null | undefined;
}

/**
 * The token numbers of the whole prompt, in the form that the model would see. The generation prompt is the special
 * token after which the model writes its answer.
 */
export function promptTokens(conversation: Conversation, addGenerationPrompt = true): number[] {
  const sequence = new TokenSequence();
  if (conversation.tools && conversation.tools.length > 0) {
    sequence.mark('tools');
    for (const { function: described } of conversation.tools) {
      sequence.text(described.name).text(described.description ?? '');
      sequence.text(JSON.stringify(described.parameters ?? {}));
    }
    sequence.mark('end');
  }
  for (const message of conversation.messages) sequence.message(message);
  if (addGenerationPrompt) sequence.mark('assistant');
  return sequence.ids;
}

export function textTokens(text: string): number[] {
  return new TokenSequence().text(text).ids;
}

/**
 * A hash of the parts of a conversation that decide the answer: roles, texts and tool calls. Call ids, names and
 * earlier reasoning are left out, so a relay that rewrites them does not change the answer.
 */
export function conversationHash(messages: readonly ChatMessage[], start: number): number {
  let hash = start;
  for (const message of messages) {
    hash = hashText(message.role === 'developer' ? 'system' : message.role, hash);
    hash = hashText(textOf(message), hash);
    for (const call of message.tool_calls ?? []) {
      hash = hashText(`${call.function.name}(${call.function.arguments})`, hash);
    }
  }
  return hash;
}

/** The text of the last user message. Tool results may follow it. */
export function lastUserText(messages: readonly ChatMessage[]): string {
  const message = messages.findLast(({ role }) => role === 'user');
  return message === undefined ? '' : textOf(message);
}
