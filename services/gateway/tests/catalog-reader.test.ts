import { OLDEST_REVISION } from '@sluice/contracts';
import { connectCatalog, serveCatalog, type PrincipalInput } from '@sluice/rpc';
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
