import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { catalogHolding } from '../catalog/catalog-fixture.ts';
import {
  checkCatalogPosition,
  recordCatalogPosition,
  type LocalCatalog,
} from './catalog-position.ts';
import { stateFolderAt, type StateFolder } from './state-folder.ts';

let folder: StateFolder;
let localCatalog: LocalCatalog;

beforeEach(async () => {
  folder = stateFolderAt(await mkdtemp(join(tmpdir(), 'sluice-position-')));
  localCatalog = { folder, bucket: 'sluice-catalog' };
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
  await expect(checkCatalogPosition(catalogAt(1, 0), localCatalog)).resolves.toBeUndefined();
});

test.each([
  ['as it was', 1, 5],
  ['that has grown', 1, 6],
])('a store %s has lost nothing', async (_what, epoch, sequence) => {
  await recordCatalogPosition(catalogAt(1, 5), localCatalog);
  await expect(
    checkCatalogPosition(catalogAt(epoch, sequence), localCatalog),
  ).resolves.toBeUndefined();
});

test.each([
  ['that is shorter than it was', 1, 4],
  ['that is another', 2, 9],
])('a store %s has lost something', async (_what, epoch, sequence) => {
  await recordCatalogPosition(catalogAt(1, 5), localCatalog);
  await expect(checkCatalogPosition(catalogAt(epoch, sequence), localCatalog)).rejects.toThrow(
    'NATS has lost a part of its data there; start with --fresh',
  );
});

test('a record that cannot be read is not mistaken for a first start', async () => {
  await writeFile(folder.catalogPositionFile, '{"epoch":');
  await expect(checkCatalogPosition(catalogAt(1, 5), localCatalog)).rejects.toThrow('is damaged');
});

describe('of several buckets', () => {
  const other = (): LocalCatalog => ({ folder, bucket: 'other' });

  test('each bucket is compared with its own record', async () => {
    await recordCatalogPosition(catalogAt(1, 5), localCatalog);
    await expect(checkCatalogPosition(catalogAt(2, 1), other())).resolves.toBeUndefined();
    await recordCatalogPosition(catalogAt(2, 3), other());
    await expect(checkCatalogPosition(catalogAt(1, 5), localCatalog)).resolves.toBeUndefined();
    await expect(checkCatalogPosition(catalogAt(1, 4), localCatalog)).rejects.toThrow(
      'NATS has lost',
    );
    await recordCatalogPosition(catalogAt(1, 6), localCatalog);
    await expect(checkCatalogPosition(catalogAt(2, 2), other())).rejects.toThrow('NATS has lost');
  });

  test('a record without the name of a bucket belongs to the default bucket', async () => {
    await writeFile(folder.catalogPositionFile, '{"epoch":1,"sequence":5}\n');
    await expect(checkCatalogPosition(catalogAt(1, 4), localCatalog)).rejects.toThrow(
      'NATS has lost',
    );
    await expect(checkCatalogPosition(catalogAt(2, 1), other())).resolves.toBeUndefined();
  });
});
