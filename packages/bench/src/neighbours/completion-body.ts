/** Parts of completion requests as JSON text, because some hostile bodies cannot be written as JavaScript values. */

const MODEL = 'sluice-small';
/** Every request gets this short answer, so that only the requests differ. */
const TOKENS = 4;
const SENTENCE = 'A lock lets through just as much water as there is room for behind it. ';

export const LARGEST_BODY = 4 * 1_048_576;

export function completion(messages: readonly string[], more: readonly string[] = []): string {
  const members = [`"model":"${MODEL}"`, `"messages":[${messages.join(',')}]`, ...more];
  return `{${members.join(',')}}`;
}

export function prose(characters: number): string {
  return SENTENCE.repeat(Math.ceil(characters / SENTENCE.length)).slice(0, characters);
}

export function systemMessage(text: string): string {
  return JSON.stringify({ role: 'system', content: text });
}

/** The last message of a conversation, with steering for the simulated runtime. */
export function userMessage(steering: Readonly<Record<string, string | number>> = {}): string {
  const content = `Go on.\n@sim ${JSON.stringify({ tokens: TOKENS, ...steering })}`;
  return JSON.stringify({ role: 'user', content });
}

/** A tool call of an earlier turn, and its result. */
export function earlierCall(number: number, argumentsText: string): string[] {
  const id = `call-${number}`;
  const call = { id, type: 'function', function: { name: 'look', arguments: argumentsText } };
  return [
    JSON.stringify({ role: 'assistant', content: null, tool_calls: [call] }),
    JSON.stringify({ role: 'tool', tool_call_id: id, content: 'done' }),
  ];
}

/** A request for an answer in the form of a schema. */
export function formatted(schema: object, answer = '{}'): string {
  const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
  return completion(
    [userMessage({ text: answer })],
    [`"response_format":${JSON.stringify(format)}`],
  );
}

export function tool(name: string, parameters: object): object {
  return { type: 'function', function: { name, description: prose(200), parameters } };
}
