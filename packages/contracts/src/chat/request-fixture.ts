import { validateChatRequest } from './validate-request.ts';

export const messages = [{ role: 'user', content: 'Hello' }];
export const tool = (name: string) => ({ type: 'function', function: { name } });
export const tools = [tool('look_up')];
export const toolTaking = (parameters: object) => ({
  type: 'function',
  function: { name: 'look_up', parameters },
});
export const schemaFormat = (json_schema: unknown) => ({
  response_format: { type: 'json_schema', json_schema },
});

/** The shortest request there is, and these parameters. */
export const body = (extra: object) => ({ model: 'm', messages, ...extra });

export function faultOf(parsed: unknown): [code: string, param: string] | 'none' {
  const verdict = validateChatRequest(parsed);
  return verdict.ok ? 'none' : [verdict.fault.code, verdict.fault.param];
}

/** What is left of a valid request. */
export function accepted(parsed: unknown): object {
  const verdict = validateChatRequest(parsed);
  if (!verdict.ok) throw new Error(verdict.fault.message);
  return verdict.request;
}
