import { parseRequestBody } from '../examine-request.ts';
import { type RequestVerdict, validateChatRequest } from './validate-request.ts';

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

/** The shortest valid request, with these parameters. */
export const body = (extra: object) => ({ model: 'm', messages, ...extra });

/** Like `body`, but as text, so that members can have values that JavaScript cannot represent. */
export const bodyWith = (members: string) =>
  `{"model":"m","messages":${JSON.stringify(messages)},${members}}`;

/** Validates text as it is, and anything else as JSON. */
export function verdictOn(sent: object | string): RequestVerdict {
  const source = Buffer.from(typeof sent === 'string' ? sent : JSON.stringify(sent));
  const parsed = parseRequestBody(source);
  if (!parsed.ok) throw new Error(parsed.reason);
  return validateChatRequest(parsed.value, source);
}

export function faultOf(sent: object | string): [code: string, param: string] | 'none' {
  const verdict = verdictOn(sent);
  return verdict.ok ? 'none' : [verdict.fault.code, verdict.fault.param];
}

/** The validated request. */
export function accepted(sent: object | string): object {
  const verdict = verdictOn(sent);
  if (!verdict.ok) throw new Error(verdict.fault.message);
  return verdict.request;
}
