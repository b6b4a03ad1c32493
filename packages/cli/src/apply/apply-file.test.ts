import { ResourceSchemas } from '@sluice/contracts';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';
import { expect, test } from 'vitest';
import { catalogHolding } from '../catalog/catalog-fixture.ts';
import { applyFile } from './apply-file.ts';

const plan = (id: string, requests = 10) =>
  ResourceSchemas.plans.parse({ id, limits: { requests_per_minute: requests } });

/** The answer of the catalog, which `applyFile` does not use. */
const STORED = { kind: '', id: '', document: '', sequence: 0 };

/** Applies a file that creates `new`, changes `old` and deletes `gone`. Returns the calls to the catalog in order. */
async function applied({
  dryRun = false,
  answers = {},
}: {
  dryRun?: boolean;
  answers?: Partial<CatalogAdminClient>;
}) {
  const told: string[] = [];
  let plans = 0;
  const admin = catalogHolding(
    { plans: [plan('old'), plan('gone')] },
    {
      createResource: async ({ kind, id }) => {
        told.push(`create ${kind}/${id}`);
        return Promise.resolve(STORED);
      },
      updateResource: async ({ kind, id, sequence }) => {
        told.push(`update ${kind}/${id} at ${String(sequence)}`);
        return Promise.resolve(STORED);
      },
      deleteResource: async ({ kind, id, sequence }) => {
        told.push(`delete ${kind}/${id} at ${String(sequence)}`);
        return Promise.resolve({ position: null });
      },
      ...answers,
    },
  );
  await applyFile(
    admin,
    { plans: [plan('new'), plan('old', 20)] },
    { dryRun, isKept: () => false, deletesMany: false, onPlan: () => (plans += 1) },
  );
  return { told, plans };
}

const ALL = ['create plans/new', 'update plans/old at 1', 'delete plans/gone at 2'];

test('every change is made, with the sequence at which it was planned', async () => {
  expect(await applied({})).toEqual({ told: ALL, plans: 1 });
});

test('a dry run changes nothing', async () => {
  expect(await applied({ dryRun: true })).toEqual({ told: [], plans: 1 });
});

test('after a change by another client the plan is made again, and is shown only once', async () => {
  let refusals = 0;
  const deleteResource = async () => {
    refusals += 1;
    if (refusals === 1) throw new RpcError('conflict', 'it was changed');
    return Promise.resolve({ position: null });
  };
  const { told, plans } = await applied({ answers: { deleteResource } });
  expect(told).toEqual([...ALL.slice(0, 2), ...ALL.slice(0, 2)]);
  expect([refusals, plans]).toEqual([2, 1]);
});

test('a permanent refusal is reported with the resource', async () => {
  let refusals = 0;
  const createResource = () => {
    refusals += 1;
    return Promise.reject(new RpcError('invalid_argument', 'it has too many limits'));
  };
  await expect(applied({ answers: { createResource } })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: 'plans new: it has too many limits',
  });
  expect(refusals).toBe(1);
});

test('a change that a rule forbids is tried three times', async () => {
  let refusals = 0;
  const deleteResource = () => {
    refusals += 1;
    return Promise.reject(new RpcError('failed_precondition', 'plan gone is in use'));
  };
  await expect(applied({ answers: { deleteResource } })).rejects.toThrow(/^plan gone is in use$/);
  expect(refusals).toBe(3);
});
