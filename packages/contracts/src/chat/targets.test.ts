import { describe, expect, it } from 'vitest';
import { ResourceSchemas } from '../resources.ts';
import { CatalogModel } from './model.ts';

const announced = {
  id: 'acme/chat',
  owned_by: 'acme',
  context_length: 32_768,
  max_output_tokens: 4_096,
  reasoning: { supported_efforts: ['low', 'high'] },
};
const stable = { pool: 'large', runtime_model: 'chat-1', weight: 95 };
const canary = { pool: 'canary', runtime_model: 'chat-2', weight: 5 };

const modelWith = (targets: readonly object[], more: object = {}) => ({
  ...announced,
  targets,
  ...more,
});

function faultsOf(document: object): string[] {
  const { error } = CatalogModel.safeParse(document);
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}

describe('a model with targets', () => {
  it('has the pool and the runtime model of the heaviest target, for readers that know no targets', () => {
    const model = CatalogModel.parse(modelWith([canary, stable]));
    expect(model).toMatchObject({ pool: 'large', runtime_model: 'chat-1' });
    expect(model.targets).toEqual([
      { ...canary, name: 'canary' },
      { ...stable, name: 'large' },
    ]);
  });

  it('is read back as it was stored, also after its weights were changed', () => {
    const stored = ResourceSchemas.models.parse(modelWith([stable, canary]));
    expect(ResourceSchemas.models.parse(stored)).toEqual(stored);
    const swapped = [
      { ...stable, weight: 5 },
      { ...canary, weight: 95 },
    ];
    const changed = ResourceSchemas.models.parse({ ...stored, targets: swapped });
    expect(changed).toMatchObject({ pool: 'canary', runtime_model: 'chat-2' });
  });

  it('is a valid model of one pool for a reader that drops the targets', () => {
    const { targets: _dropped, ...seen } = CatalogModel.parse(modelWith([stable, canary]));
    expect(ResourceSchemas.models.parse(seen)).toEqual(seen);
    expect(seen).toMatchObject({ pool: 'large', runtime_model: 'chat-1' });
  });

  it('may have targets that support more than it announces', () => {
    const known = {
      context_length: 65_536,
      max_output_tokens: 4_096,
      supported_efforts: ['high', 'low', 'max'],
    };
    expect(faultsOf(modelWith([stable, { ...canary, ...known }]))).toEqual([]);
  });

  it.each([
    [
      'a shorter context',
      [stable, { ...canary, context_length: 16_384 }],
      'targets.1.context_length: 16384 is less than the 32768 that the model announces',
    ],
    [
      'less output',
      [{ ...stable, max_output_tokens: 1_024 }],
      'targets.0.max_output_tokens: 1024 is less than the 4096 that the model announces',
    ],
    [
      'fewer efforts',
      [stable, { ...canary, supported_efforts: ['low'] }],
      'targets.1.supported_efforts: lacks high, which the model announces',
    ],
    [
      'no weight at all',
      [{ ...stable, weight: 0 }],
      'targets: at least one target needs a weight above 0',
    ],
    ['one target twice', [stable, stable], 'targets.1: pool large with chat-1 is listed twice'],
    [
      'one name twice',
      [stable, { ...canary, pool: 'large' }],
      'targets.1.name: another target is named large: give this one a name of its own',
    ],
  ])('is refused with %s', (_fault, targets, message) => {
    expect(faultsOf(modelWith(targets))).toEqual([message]);
  });

  it.each([
    { weight: -1 },
    { weight: 1_000_001 },
    { weight: '5%' },
    { weight: undefined },
    { pool: 'a.b' },
    { name: '' },
    { runtime_model: '' },
    { supported_efforts: [] },
    { url: 'http://127.0.0.1' },
  ])('is refused with %j', (fault) => {
    expect(faultsOf(modelWith([stable, { ...canary, ...fault }]))).toHaveLength(1);
  });

  it('is refused beside a pool of no target', () => {
    expect(faultsOf(modelWith([stable, canary], { pool: 'elsewhere' }))).toEqual([
      'pool: leave out pool and runtime_model beside targets, or name one of the targets',
    ]);
  });

  it.each([
    [{}, 'pool: is missing, and there are no targets'],
    [{ pool: 'large' }, 'runtime_model: is missing'],
  ])('without targets needs a pool and a runtime model', (place, message) => {
    expect(faultsOf({ ...announced, ...place })).toEqual([message]);
  });
});
