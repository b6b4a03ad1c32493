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
  ])('is JSON, object, unlisted parameters, parameter table', (body, code, param) => {
    expect(examine(body)).toMatchObject({ ok: false, fault: { code, param } });
  });

  test('does not quote a body that is not an object', () => {
    expect(JSON.stringify(examine(`["sekret",${deep}]`))).not.toContain('sekret');
  });
});

describe('the JSON values besides the prompt', () => {
  const bulk = Array.from({ length: 40_000 }, () => 1);
  const prompt = { model: MODEL.id, messages: [{ role: 'user', content: 'Hi' }] };
  const promising = (schema: object) => ({
    ...prompt,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  });

  test.each([
    ['in a schema', JSON.stringify(promising({ enum: bulk }))],
    ['in a dropped field', JSON.stringify({ ...prompt, response_format: { type: 'text', bulk } })],
    [
      'in an ignored field of a content part',
      JSON.stringify({
        ...prompt,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', bulk }] }],
      }),
    ],
    ['in a repeated parameter', JSON.stringify(prompt).replace('{', `{"model":[${bulk.join()}],`)],
  ])('are limited %s', (_case, body) => {
    expect(examine(body)).toMatchObject({ ok: false, fault: { code: 'invalid_value' } });
  });

  test('may be those of the largest schema that the convention allows', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `property_${index}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: 'string', description: 'one, two, {three}' }]),
    );
    const schema = { type: 'object', properties, required: names };
    expect(examine(JSON.stringify(promising(schema)))).toMatchObject({ ok: true });
  });

  test('do not limit the prompt', () => {
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

describe('a very large output bound', () => {
  test('exceeds the context length of a model', () => {
    const change = {
      model: SMALL.id,
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 1e17,
    };
    expect(examine(JSON.stringify(change))).toMatchObject({
      fault: { code: 'context_length_exceeded', param: 'messages' },
    });
  });

  test.each([1e17, 1e300])(
    'is reduced to the largest number that a job can hold: %d',
    (max_tokens) => {
      const { maxOutputTokens, outputBoundRequested } = examined({ max_tokens });
      expect([maxOutputTokens, outputBoundRequested]).toEqual([Number.MAX_SAFE_INTEGER, true]);
      const { max_output_tokens } = JobHeader.shape;
      expect(max_output_tokens.safeParse(maxOutputTokens).success).toBe(true);
    },
  );

  test('does not count as requested if it is absent', () => {
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
  ])('is the requested one, or the default of the model, or none', (model, asked, effort) => {
    expect(examined({ model, reasoning_effort: asked }).reasoningEffort).toBe(effort);
  });
});

describe('the parameter with a schema', () => {
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
