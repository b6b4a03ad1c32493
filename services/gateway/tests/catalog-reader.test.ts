import { CatalogModel, OLDEST_REVISION } from '@sluice/contracts';
import { useLeakCheck } from '@sluice/devkit';
import {
  connectCatalog,
  encodeModels,
  serveCatalog,
  type CatalogHandlers,
  type PrincipalInput,
} from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { expect, test } from 'vitest';
import { grpcCatalogReader } from '../src/access/catalog-reader.ts';

useLeakCheck();

const logger = createLogger({ service: 'gateway', level: 'silent' });

/** The principal that the gateway reads from an answer of the catalog. */
async function principalFrom(principal: PrincipalInput) {
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
  const callContext = { requestId: 'request1', trace: undefined };
  const { answer } = await grpcCatalogReader(client).resolveCredential(
    credential,
    OLDEST_REVISION,
    callContext,
  );
  return answer;
}

test.each([
  { sent: ['', ''], received: [undefined, undefined] },
  {
    sent: ['onboarding_pending', 'insufficient_quota'],
    received: ['onboarding_pending', 'insufficient_quota'],
  },
  { sent: ['asleep', 'asleep'], received: ['account_restricted', 'billing_conflict'] },
  {
    sent: ['insufficient_quota', 'internal_error'],
    received: ['account_restricted', 'billing_conflict'],
  },
])('refusals that the catalog calls $sent are read as $received', async ({ sent, received }) => {
  const [accessRefusal = '', billingRefusal = ''] = sent;
  const principal = await principalFrom({ accessRefusal, billingRefusal });
  expect([principal?.accessRefusal, principal?.billingRefusal]).toEqual(received);
});

test.each([
  ['zero if the catalog does not state it', '', 'zero'],
  ['the value of the catalog, known or not', 'unknown value', 'unknown value'],
])('the retention is %s', async (_, sent, received) => {
  expect(await principalFrom({ retention: sent })).toMatchObject({ retention: received });
});

const model = CatalogModel.parse({ id: 'a', owned_by: 'x', pool: 'p', runtime_model: 'a' });

/** The list of models that the gateway reads from an answer of the catalog. */
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
  const callContext = { requestId: 'request1', trace: undefined };
  const { answer } = await grpcCatalogReader(client).listModels(question, callContext);
  if (answer === undefined) throw new Error('the answer has no list');
  return answer;
}

test.each([[[model]], [[]]])('models with a new tag are read: %j', async (models) => {
  const { tag, read } = await listed(async ({ organization, knownTags }) => ({
    tag: `${organization} ${knownTags.join()}`,
    encodedModels: encodeModels(models),
  }));
  expect([tag, read()]).toEqual(['acme one,two', models]);
});

test('models that the answer leaves out are not read as an empty list', async () => {
  const { tag, read } = await listed(async () => ({ tag: 'two' }));
  expect(tag).toBe('two');
  expect(read).toThrow('unknown model list without its models');
});
