import { crc32 } from 'node:zlib';
import type { ChatCompletionRequest } from './schema/request.ts';

/**
 * A hash of what stays the same in all turns of a conversation: the instructions and the first user message. It only
 * decides which target of the model serves the conversation, so a collision is harmless.
 */
export function conversationHash(
  { model, messages }: ChatCompletionRequest,
  organization: string,
): number {
  let sum = crc32(model, crc32(organization));
  for (const { role, content } of messages) {
    if (role !== 'system' && role !== 'developer' && role !== 'user') continue;
    sum = crc32(role, sum);
    if (typeof content === 'string') sum = crc32(content, sum);
    else for (const { text } of content) sum = crc32(text, sum);
    if (role === 'user') break;
  }
  return sum;
}
