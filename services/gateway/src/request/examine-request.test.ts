import { CatalogModel, JobHeader } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { examineRequest, type Examination, type ExaminedRequest } from './examine-request.ts';

const MODEL = CatalogModel.parse({
  id: 'acme/large',
  owned_by: 'acme',
  pool: 'default',
  runtime_model: 'large',
});
const THINKER = { ...MODEL, id: 'acme/thinker', reasoning: reasoning('low') };
const SILENT = { ...MODEL, id: 'acme/silent', reasoning: reasoning() };
const SMALL = { ...MODEL, id: 'acme/small', context_length: 2_000 };
const models = new Map([MODEL, THINKER, SILENT, SMALL].map((model) => [model.id, model]));

function reasoning(default_effort?: string) {
  return {
    supported_efforts: ['low', 'high'],
    mandatory: false,
    ...(default_effort === undefined ? {} : { default_effort }),
  };
}

function examine(body: string, organization = 'acme'): Examination {
  const available = { find: (id: string) => models.get(id) };
  return examineRequest(Buffer.from(body), { organization, models: available });
}

function examined(change: object = {}, organization = 'acme'): ExaminedRequest {
  const body = { model: MODEL.id, messages: [{ role: 'user', content: 'Hi' }], ...change };
  const examination = examine(JSON.stringify(body), organization);
  if (!examination.ok) throw new Error(examination.fault.message);
  return examination.request;
}

describe('the order of faults', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);

  test.each([
    ['{"temperature":9', 'malformed_body', null],
    ['['.repeat(100_000), 'malformed_body', null],
    [`{"user":1,"tools":${deep}`, 'malformed_body', null],
    ['[]', 'missing_required_parameter', 'model'],
    [`["sekret",${deep}]`, 'missing_required_parameter', 'model'],
    [`{"tools":${deep},"zz":1,"5":1}`, 'unsupported_parameter', 'zz'],
    [`{"temperature":9,"tools":${deep}}`, 'missing_required_parameter', 'model'],
    [`{"model":${deep}}`, 'invalid_value', 'model'],
  ])('is JSON, an object, listed parameters, the table', (body, code, param) => {
    expect(examine(body)).toMatchObject({ ok: false, fault: { code, param } });
  });

  test('tells nothing of what a body holds that is no object', () => {
    expect(JSON.stringify(examine(`["sekret",${deep}]`))).not.toContain('sekret');
  });
});

describe('what is charged to nobody', () => {
  const bulk = Array.from({ length: 40_000 }, () => 1);
  const prompt = { model: MODEL.id, messages: [{ role: 'user', content: 'Hi' }] };
  const promising = (schema: object) => ({
    ...prompt,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  });

  test.each([
    ['of a schema', JSON.stringify(promising({ enum: bulk }))],
    ['of a dropped field', JSON.stringify({ ...prompt, response_format: { type: 'text', bulk } })],
    [
      'of an ignored field of a part',
      JSON.stringify({
        ...prompt,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', bulk }] }],
      }),
    ],
    [
      'of a parameter that comes again',
      JSON.stringify(prompt).replace('{', `{"model":[${bulk.join()}],`),
    ],
  ])('has bounds: values %s', (_case, body) => {
    expect(examine(body)).toMatchObject({ ok: false, fault: { code: 'invalid_value' } });
  });

  test('may be the largest schema of the convention', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `property_${index}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: 'string', description: 'one, two, {three}' }]),
    );
    const schema = { type: 'object', properties, required: names };
    expect(examine(JSON.stringify(promising(schema)))).toMatchObject({ ok: true });
  });

  test('is no bound of a prompt', () => {
    const messages = Array.from({ length: 10_000 }, () => ({
      role: 'user',
      content: Array.from({ length: 4 }, () => ({ type: 'text', text: '' })),
      name: null,
    }));
    expect(examine(JSON.stringify({ ...prompt, messages }, undefined, 1))).toMatchObject({
      ok: true,
    });
    const tool = { name: 'f', parameters: { enum: bulk.map(() => []) } };
    const tools = [{ type: 'function', function: tool }];
    expect(examine(JSON.stringify({ ...prompt, tools }))).toMatchObject({ ok: true });
  });
});

describe('an output bound beyond every number of tokens', () => {
  test('is more than the context of a model that has one', () => {
    const change = {
      model: SMALL.id,
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 1e17,
    };
    expect(examine(JSON.stringify(change))).toMatchObject({
      fault: { code: 'context_length_exceeded', param: 'messages' },
    });
  });

  test.each([1e17, 1e300])('is handed on as one that a job can say: %d', (max_tokens) => {
    const { maxOutputTokens, outputBoundRequested } = examined({ max_tokens });
    expect([maxOutputTokens, outputBoundRequested]).toEqual([Number.MAX_SAFE_INTEGER, true]);
    const { max_output_tokens } = JobHeader.shape;
    expect(max_output_tokens.safeParse(maxOutputTokens).success).toBe(true);
  });

  test('is not taken for asked for where it is not', () => {
    const { outputBoundRequested } = examined();
    expect(outputBoundRequested).toBe(false);
  });
});

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
