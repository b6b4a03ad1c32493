import { parseRequestBody } from './parse-body.ts';
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

/** The shortest request there is, and these parameters. */
export const body = (extra: object) => ({ model: 'm', messages, ...extra });

/** The same as text, so that its members can be what no value in JavaScript is. */
export const bodyWith = (members: string) =>
  `{"model":"m","messages":${JSON.stringify(messages)},${members}}`;

/** As a client's bytes get it: text as it is, anything else as JSON. */
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

/** What is left of a valid request. */
export function accepted(sent: object | string): object {
  const verdict = verdictOn(sent);
  if (!verdict.ok) throw new Error(verdict.fault.message);
  return verdict.request;
}
