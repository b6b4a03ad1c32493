import { CatalogModel } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { examineRequest, type ExaminedRequest } from './examine-request.ts';

const MODEL = CatalogModel.parse({
  id: 'acme/large',
  owned_by: 'acme',
  pool: 'default',
  runtime_model: 'large',
});
const THINKER = { ...MODEL, id: 'acme/thinker', reasoning: reasoning('low') };
const SILENT = { ...MODEL, id: 'acme/silent', reasoning: reasoning() };
const models = new Map([MODEL, THINKER, SILENT].map((model) => [model.id, model]));

function reasoning(default_effort?: string) {
  return {
    supported_efforts: ['low', 'high'],
    mandatory: false,
    ...(default_effort === undefined ? {} : { default_effort }),
  };
}

function examined(change: object = {}, organization = 'acme'): ExaminedRequest {
  const body = { model: MODEL.id, messages: [{ role: 'user', content: 'Hi' }], ...change };
  const available = { find: (id: string) => models.get(id) };
  const examination = examineRequest(Buffer.from(JSON.stringify(body)), {
    organization,
    models: available,
  });
  if (!examination.ok) throw new Error(examination.fault.message);
  return examination.request;
}

describe('the effort of reasoning', () => {
  test.each([
    [THINKER.id, 'high', 'high'],
    [THINKER.id, undefined, 'low'],
    [THINKER.id, null, 'low'],
    [SILENT.id, undefined, undefined],
    [MODEL.id, undefined, undefined],
    [MODEL.id, 'any', 'any'],
  ])('is the one asked for, else the default of the model, else none', (model, asked, effort) => {
    expect(examined({ model, reasoning_effort: asked }).reasoningEffort).toBe(effort);
  });
});

describe('the affinity of a conversation', () => {
  const system = { role: 'system', content: 'Be brief.' };
  const user = { role: 'user', content: 'Hi' };
  const first = examined({ messages: [system, user] }).affinity;

  test('stays the same from turn to turn', () => {
    const answer = { role: 'assistant', content: 'Hello' };
    const messages = [system, user, answer, { role: 'user', content: 'And now?' }];
    expect(examined({ messages, temperature: 1 }).affinity).toBe(first);
  });

  test('does not depend on how a text is cut into parts', () => {
    const parts = [
      { type: 'text', text: 'H' },
      { type: 'text', text: 'i' },
    ];
    const messages = [system, { ...user, content: parts }];
    expect(examined({ messages }).affinity).toBe(first);
  });

  test.each([
    ['other instructions', examined({ messages: [{ ...system, content: 'Be long.' }, user] })],
    ['another beginning', examined({ messages: [system, { ...user, content: 'Ho' }] })],
    ['another organization', examined({ messages: [system, user] }, 'other')],
    ['another model', examined({ messages: [system, user], model: SILENT.id })],
  ])('is another with %s', (_what, { affinity }) => {
    expect(affinity).not.toBe(first);
  });
});

describe('where the client gave a schema', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const format = { type: 'json_schema', json_schema: { name: 'a', schema: {} } };

  test.each([
    [{}, undefined],
    [{ tools }, 'tools'],
    [{ response_format: format }, 'response_format'],
    [{ response_format: format, tools }, 'response_format'],
    [{ response_format: { type: 'json_object' } }, undefined],
  ])('%j: %s', (change, place) => {
    expect(examined(change).schemaIn).toBe(place);
  });
});
