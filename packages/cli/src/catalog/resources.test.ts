import { ResourceSchemas } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { CommandFailure } from '../command.ts';
import { catalogHolding } from './catalog-fixture.ts';
import { findResource, listResources } from './resources.ts';

const accounts = ['ada', 'ben', 'eve', 'ida', 'tom'].map((id) =>
  ResourceSchemas.accounts.parse({ id }),
);

test('a list contains all entries, from any number of pages', async () => {
  const found = await listResources(catalogHolding({ accounts }), 'accounts');
  expect(found.map(({ document }) => document)).toEqual(accounts);
});

test('a missing resource is undefined, and any other error is thrown', async () => {
  const admin = catalogHolding({ accounts });
  expect(await findResource(admin, 'accounts', 'eve')).toMatchObject({ id: 'eve', sequence: 3 });
  expect(await findResource(admin, 'accounts', 'nobody')).toBeUndefined();
  const down = catalogHolding({}, { getResource: () => Promise.reject(new Error('it is down')) });
  await expect(findResource(down, 'accounts', 'eve')).rejects.toThrow('it is down');
});

test('fields of a newer catalog are left out and named', async () => {
  const projects = [{ id: 'app', organization: 'harbour', colour: 'red' }];
  const admin = catalogHolding({ projects });
  const found = {
    id: 'app',
    document: { id: 'app', organization: 'harbour' },
    sequence: 1,
    unknownFields: ['colour'],
  };
  expect(await listResources(admin, 'projects')).toEqual([found]);
  expect(await findResource(admin, 'projects', 'app')).toEqual(found);
});

test('the error for an entry that only a newer command understands names it', async () => {
  const admin = catalogHolding({ projects: [{ id: 'app' }] });
  const listing = listResources(admin, 'projects');
  await expect(listing).rejects.toThrow(CommandFailure);
  await expect(listing).rejects.toThrow('projects/app cannot be understood: the catalog is newer');
});
