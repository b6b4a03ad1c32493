import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { catalogHolding } from '../catalog/catalog-fixture.ts';
import { checkCatalogPosition, recordCatalogPosition } from './catalog-position.ts';
import { stateFolderAt, type StateFolder } from './state-folder.ts';

let folder: StateFolder;

beforeEach(async () => {
  folder = stateFolderAt(await mkdtemp(join(tmpdir(), 'sluice-position-')));
});
afterEach(async () => {
  await rm(folder.path, { recursive: true });
});

const catalogAt = (epoch: number, sequence: number) =>
  catalogHolding(
    {},
    {
      listResources: () =>
        Promise.resolve({ resources: [], nextAfter: '', position: { epoch, sequence } }),
    },
  );

test('a first start has nothing to compare with', async () => {
  await expect(checkCatalogPosition(catalogAt(1, 0), folder)).resolves.toBeUndefined();
});

test.each([
  ['as it was', 1, 5],
  ['that has grown', 1, 6],
])('a store %s is whole', async (_what, epoch, sequence) => {
  await recordCatalogPosition(catalogAt(1, 5), folder);
  await expect(checkCatalogPosition(catalogAt(epoch, sequence), folder)).resolves.toBeUndefined();
});

test.each([
  ['that is shorter than it was', 1, 4],
  ['that is another', 2, 9],
])('a store %s has lost something', async (_what, epoch, sequence) => {
  await recordCatalogPosition(catalogAt(1, 5), folder);
  await expect(checkCatalogPosition(catalogAt(epoch, sequence), folder)).rejects.toThrow(
    'NATS has lost a part of what it kept there; start with --fresh',
  );
});

test('a record that cannot be read is not taken for a first start', async () => {
  await writeFile(folder.catalogPositionFile, '{"epoch":');
  await expect(checkCatalogPosition(catalogAt(1, 5), folder)).rejects.toThrow('is damaged');
});
