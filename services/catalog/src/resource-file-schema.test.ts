import { readFile } from 'node:fs/promises';
import { RESOURCE_KINDS, ResourceFile, type ResourceKind } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MemoryResourceStore } from '../tests/memory-resource-store.ts';
import { decideCreate, parseDocument, type ManagedKind } from './domain/manage-resources.ts';
import { resourceFileSchema } from './resource-file-schema.ts';

const examples = new URL('../../../deploy/examples/', import.meta.url);
const readExample = (name: string) => readFile(new URL(name, examples), 'utf8');

const isManaged = (kind: ResourceKind): kind is ManagedKind => kind !== 'api_keys';

describe('the schema for editors', () => {
  it('is what is generated: node services/catalog/src/generate-resource-file-schema.ts', async () => {
    expect(JSON.parse(await readExample('sluice.schema.json'))).toEqual(
      JSON.parse(resourceFileSchema()),
    );
  });

  it('is named by the example', async () => {
    expect(await readExample('sluice.yaml')).toMatch(
      /^# yaml-language-server: \$schema=\.\/sluice\.schema\.json\n/,
    );
  });
});

describe('the example', () => {
  it('can be created as it stands, kind by kind', async () => {
    const file = ResourceFile.parse(parse(await readExample('sluice.yaml')));
    const store = new MemoryResourceStore();
    for (const kind of RESOURCE_KINDS.filter(isManaged)) {
      for (const resource of file[kind] ?? []) {
        const document = parseDocument(kind, JSON.stringify(resource));
        expect(decideCreate(kind, document)(store.state)).toMatchObject({ action: 'create' });
        store.put(kind, document);
      }
    }
    expect(RESOURCE_KINDS.map((kind) => store.state.count(kind))).toEqual([3, 4, 6, 4, 5, 0]);
  });

  it('shows what it promises: different plans, standings and models', async () => {
    const { organizations, models } = ResourceFile.parse(parse(await readExample('sluice.yaml')));
    expect(organizations?.map(({ billing }) => billing)).toEqual([
      'ok',
      'exhausted',
      'conflict',
      'ok',
    ]);
    expect(models?.some(({ reasoning }) => reasoning?.mandatory)).toBe(true);
    expect(models?.some(({ reasoning_history }) => reasoning_history === 'required')).toBe(true);
    expect(models?.some(({ reasoning }) => reasoning === undefined)).toBe(true);
    expect(models?.some(({ shutdown_date }) => shutdown_date !== null)).toBe(true);
  });
});
