import { describe, expect, it } from 'vitest';
import { jobHeaderOf } from '../attempt/job-header-fixture.ts';
import { openAiDialect } from './openai.ts';
import {
  boundedGeneration,
  hasCall,
  translateRequest,
  type JsonText,
} from './translate-request.ts';
import { vllmDialect } from './vllm.ts';

const user = { role: 'user', content: 'Hi' };
const settings = {
  header: jobHeaderOf({}),
  sharedCache: false,
  priorities: false,
  countsPrompt: false,
};
const translate = (request: object, change = {}, dialect = openAiDialect) =>
  translateRequest(Buffer.from(JSON.stringify(request)), dialect, { ...settings, ...change });
const parsed = (text: JsonText) =>
  JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString()) as unknown;

describe('a translated request', () => {
  it('has the call ids of the conversation as the runtime made them', () => {
    const call = (id: string) => ({ id, function: { name: 'f', arguments: '{}' } });
    const calls = [call('call_nfunctions.f:0'), call('with "quotes", and a comma')];
    const { callIds } = translate({ messages: [user, { role: 'assistant', tool_calls: calls }] });
    expect(hasCall(callIds, 'functions.f:0')).toBe(true);
    expect(hasCall(callIds, 'with "quotes", and a comma')).toBe(true);
    for (const id of ['functions.f:1', 'functions.f:', 'quotes', 'with ', ' and a comma']) {
      expect(hasCall(callIds, id)).toBe(false);
    }
  });

  it.each([
    ['text', (text: JsonText) => text],
    ['bytes', (text: JsonText) => Buffer.from(String(text))],
  ])('gets its output bound as %s', (_, sent) => {
    const generation = sent(translate({ messages: [user] }).generation);
    const unbounded = parsed(boundedGeneration(generation, undefined));
    expect(unbounded).toMatchObject({ messages: [user], stream: true });
    expect(unbounded).not.toHaveProperty('max_tokens');
    expect(parsed(boundedGeneration(generation, 99))).toEqual({
      ...(unbounded as object),
      max_tokens: 99,
    });
  });

  it('has a question for the length of its prompt only if it is wanted and supported', () => {
    const counting = { countsPrompt: true };
    expect(translate({ messages: [user] }, {}, vllmDialect).promptLengthRequest).toBeUndefined();
    expect(translate({ messages: [user] }, counting).promptLengthRequest).toBeUndefined();
    const question = translate({ messages: [user] }, counting, vllmDialect).promptLengthRequest;
    expect(question?.path).toBe('/tokenize');
    expect(parsed(question?.body ?? '')).toMatchObject({ messages: [user] });
  });
});
