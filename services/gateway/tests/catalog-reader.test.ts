import { CatalogModel, OLDEST_REVISION } from '@sluice/contracts';
import {
  connectCatalog,
  encodeModels,
  modelToMessage,
  serveCatalog,
  type CatalogHandlers,
  type PrincipalInput,
} from '@sluice/rpc';
import { createLogger } from '@sluice/telemetry';
import { useLeakCheck } from '@sluice/testkit';
import { expect, test } from 'vitest';
import { grpcCatalogReader } from '../src/rpc/grpc-catalog-reader.ts';

useLeakCheck();

const logger = createLogger({ service: 'gateway', level: 'silent' });

/** What the gateway makes of a principal that the catalog tells. */
async function heardOf(principal: PrincipalInput) {
  await using server = await serveCatalog({
    host: '127.0.0.1',
    port: 0,
    logger,
    handlers: {
      resolveCredential: async () => ({ principal }),
      listModels: async () => ({ models: [] }),
    },
  });
  await using client = connectCatalog({ addresses: [server.address], deadlineMs: 5_000, logger });
  await client.ready();
  const credential = { kind: 'playground', token: 'token', fingerprint: 'token' } as const;
  const asker = { requestId: 'request1', trace: undefined };
  const { answer } = await grpcCatalogReader(client).resolveCredential(
    credential,
    OLDEST_REVISION,
    asker,
  );
  return answer;
}

test.each([
  { said: ['', ''], heard: [undefined, undefined] },
  {
    said: ['onboarding_pending', 'insufficient_quota'],
    heard: ['onboarding_pending', 'insufficient_quota'],
  },
  { said: ['asleep', 'asleep'], heard: ['account_restricted', 'billing_conflict'] },
  {
    said: ['insufficient_quota', 'internal_error'],
    heard: ['account_restricted', 'billing_conflict'],
  },
])('refusals that the catalog calls $said are $heard', async ({ said, heard }) => {
  const [accessRefusal = '', billingRefusal = ''] = said;
  const principal = await heardOf({ accessRefusal, billingRefusal });
  expect([principal?.accessRefusal, principal?.billingRefusal]).toEqual(heard);
});

test.each([
  ['zero where the catalog does not tell it', '', 'zero'],
  ['what the catalog tells, known here or not', 'of next year', 'of next year'],
])('the retention is %s', async (_, said, heard) => {
  expect(await heardOf({ retention: said })).toMatchObject({ retention: heard });
});

const model = CatalogModel.parse({ id: 'a', owned_by: 'x', pool: 'p', runtime_model: 'a' });

/** What the gateway makes of a list of models, and what it has asked for. */
async function listed(listModels: CatalogHandlers['listModels']) {
  await using server = await serveCatalog({
    host: '127.0.0.1',
    port: 0,
    logger,
    handlers: { resolveCredential: async () => ({}), listModels },
  });
  await using client = connectCatalog({ addresses: [server.address], deadlineMs: 5_000, logger });
  await client.ready();
  const question = { organization: 'acme', atLeast: OLDEST_REVISION, knownTags: ['one', 'two'] };
  const asker = { requestId: 'request1', trace: undefined };
  const { answer } = await grpcCatalogReader(client).listModels(question, asker);
  if (answer === undefined) throw new Error('there is always a list');
  return answer;
}

test('the models of a catalog that gives them no tag are read as they come', async () => {
  const { tag, read } = await listed(async () => ({ models: [modelToMessage(model)] }));
  expect([tag, read()]).toEqual([undefined, [model]]);
});

test.each([[[model]], [[]]])('models with a new tag are read: %j', async (models) => {
  const { tag, read } = await listed(async ({ organization, tagged, knownTags }) => ({
    tag: `${organization} ${tagged} ${knownTags.join()}`,
    encodedModels: encodeModels(models),
  }));
  expect([tag, read()]).toEqual(['acme true one,two', models]);
});

test('models that were not told are not taken for none', async () => {
  const { tag, read } = await listed(async () => ({ tag: 'two' }));
  expect(tag).toBe('two');
  expect(read).toThrow('left out');
});
