import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CatalogModel } from '@sluice/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { catalogHolding } from '../catalog/catalog-fixture.ts';
import { isDemoEntry, seedDemoCatalog } from './demo-catalog.ts';
import { stateFolderAt, type StateFolder } from './state-folder.ts';

/** A model as a start creates it for a runtime that reports only the name. */
const model = (id: string, changes: object = {}) =>
  CatalogModel.parse({ id, owned_by: 'local', pool: 'default', runtime_model: id, ...changes });

describe('models of runtimes', () => {
  let folder: StateFolder;

  beforeEach(async () => {
    folder = stateFolderAt(await mkdtemp(join(tmpdir(), 'sluice-seeded-')));
  });
  afterEach(async () => {
    await rm(folder.path, { recursive: true });
  });

  interface Start {
    readonly held: readonly CatalogModel[];
    readonly served: readonly string[];
    readonly isOurNats?: boolean;
    readonly epoch?: number;
  }

  /** Runs a start with these models in the catalog and at the runtimes. Returns the changes to the models. */
  async function start({ held, served, isOurNats = true, epoch = 1 }: Start): Promise<string[]> {
    const changes: string[] = [];
    const catalog = catalogHolding({ models: held });
    const admin = catalogHolding(
      {},
      {
        ...catalog,
        listResources: async (query) => ({
          ...(await catalog.listResources(query)),
          position: { epoch, sequence: 9 },
        }),
        createResource: ({ kind = '', id = '' }) => {
          if (kind === 'models') changes.push(`made ${id}`);
          return Promise.resolve({ kind, id, document: '', sequence: 1 });
        },
        deleteResource: ({ id = '' }) => {
          changes.push(`deleted ${id}`);
          return Promise.resolve({ position: null });
        },
      },
    );
    const models = served.map((id) => ({ id, contextLength: undefined }));
    await seedDemoCatalog(admin, { models, folder: isOurNats ? folder : undefined });
    return changes;
  }

  test("that a start created are deleted when no runtime serves them, and the operator's models stay", async () => {
    const own = model('own');
    const made = await start({ held: [own], served: ['first', 'second', 'own'] });
    expect(made).toEqual(['made first', 'made second']);
    const held = [own, model('first'), model('second')];
    expect(await start({ held, served: ['second'] })).toEqual(['deleted first']);
    // A deleted model is forgotten: a new model with its name belongs to the operator.
    expect(await start({ held, served: ['third'] })).toEqual(['deleted second', 'made third']);
  });

  test('stay after an operator has changed them', async () => {
    await start({ held: [], served: ['first'] });
    const changed = model('first', { owned_by: 'us' });
    expect(await start({ held: [changed], served: ['first'] })).toEqual([]);
    expect(await start({ held: [model('first')], served: ['second'] })).toEqual(['made second']);
  });

  test('stay in the catalog of a NATS that the stack did not start', async () => {
    await start({ held: [], served: ['first'] });
    const held = [model('first')];
    expect(await start({ held, served: [], isOurNats: false })).toEqual([]);
  });

  test('of another catalog with the same name stay, and those of the first catalog are recognized again', async () => {
    await start({ held: [], served: ['first'] });
    const held = [model('first')];
    expect(await start({ held, served: [], epoch: 2 })).toEqual([]);
    expect(await start({ held, served: [] })).toEqual(['deleted first']);
  });

  test('stay if the record of earlier starts cannot be read', async () => {
    const held = [model('first')];
    expect(await start({ held, served: [] })).toEqual([]);
    await writeFile(folder.seededModelsFile, '{"1":["fir');
    expect(await start({ held, served: [] })).toEqual([]);
  });

  test('are demo entries while a runtime serves them and no operator has changed them', () => {
    const served = ['first'];
    expect(isDemoEntry('models', model('first'), served)).toBe(true);
    expect(isDemoEntry('models', model('first', { owned_by: 'us' }), served)).toBe(false);
    expect(isDemoEntry('models', model('own'), served)).toBe(false);
  });
});
