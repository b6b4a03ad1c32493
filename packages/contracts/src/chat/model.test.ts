import { describe, expect, it } from 'vitest';
import { CatalogModel, Model, toWireModel } from './model.ts';

type EveryField<Type> = { [Key in keyof Type]-?: EveryField<NonNullable<Type[Key]>> };

const entered = { id: 'a/b', owned_by: 'acme', pool: 'default', runtime_model: 'b' };

describe('a model of the catalog', () => {
  it('needs few fields, and the others have defaults', () => {
    expect(CatalogModel.parse(entered)).toEqual({
      ...entered,
      object: 'model',
      created: 0,
      shutdown_date: null,
      reasoning_history: 'optional',
      input_token_ratio: 0.25,
    });
  });

  it.each([
    { id: '' },
    { id: 'a b' },
    { id: 'a'.repeat(257) },
    { id: 'a\u0000' },
    { id: 'a\ud800' },
    { id: '\udc00a' },
    { pool: 'a.b' },
    { pool: '*' },
    { pool: 'a'.repeat(65) },
    { runtime_model: '' },
    { object: 'engine' },
    { created: -1 },
    { shutdown_date: '2026-02-30' },
    { shutdown_date: 'soon' },
    { context_length: 0 },
    { max_output_tokens: 1.5 },
    { default_parameters: { max_tokens: 0 } },
    { reasoning: { supported_efforts: [] } },
    { reasoning: { supported_efforts: ['x'.repeat(65)] } },
    { reasoning_history: 'sometimes' },
    { input_token_ratio: 0 },
    { input_token_ratio: -1 },
    { input_token_ratio: 16.5 },
    { contxt_length: 5 },
  ])('is refused with %j', (fault) => {
    expect(CatalogModel.safeParse({ ...entered, ...fault }).success).toBe(false);
  });
});

describe('a model as clients see it', () => {
  it('leaves out what only the services know, in the order of the interface', () => {
    // `EveryField` makes a new field of the catalog a type error here until it is added.
    const model: EveryField<CatalogModel> = {
      runtime_model: 'b',
      reasoning: { supported_efforts: ['low'], default_effort: 'low', mandatory: true },
      default_parameters: { max_tokens: 5 },
      max_output_tokens: 10,
      context_length: 20,
      shutdown_date: '2027-01-31',
      pool: 'default',
      targets: [
        {
          name: 'stable',
          pool: 'default',
          runtime_model: 'b',
          weight: 1,
          context_length: 20,
          max_output_tokens: 10,
          supported_efforts: ['low'],
        },
      ],
      input_token_ratio: 0.3,
      wake_timeout: 60,
      prices: [{ from: '2027-01-31', input: '1', cached_input: '0.5', output: '2' }],
      reasoning_history: 'required',
      owned_by: 'acme',
      created: 7,
      object: 'model',
      id: 'a/b',
    };
    const wire = toWireModel(model);
    expect(JSON.stringify(wire)).toBe(
      '{"id":"a/b","object":"model","created":7,"owned_by":"acme","shutdown_date":"2027-01-31",' +
        '"context_length":20,"max_output_tokens":10,"default_parameters":{"max_tokens":5},' +
        '"reasoning":{"supported_efforts":["low"],"default_effort":"low","mandatory":true}}',
    );
    expect(Model.parse(wire)).toEqual(wire);
    expect(Object.keys(wire)).toEqual(Object.keys(Model.shape));
  });

  it('omits fields that are not announced', () => {
    expect(Object.keys(toWireModel(CatalogModel.parse(entered)))).toEqual([
      'id',
      'object',
      'created',
      'owned_by',
      'shutdown_date',
    ]);
  });
});
