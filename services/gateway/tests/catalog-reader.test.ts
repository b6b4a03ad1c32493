import { OLDEST_REVISION } from '@sluice/contracts';
import { connectCatalog, serveCatalog, type PrincipalInput } from '@sluice/rpc';
import { createLogger } from '@sluice/telemetry';
import { useLeakCheck } from '@sluice/testkit';
import { expect, test } from 'vitest';
import { grpcCatalogReader } from '../src/rpc/grpc-catalog-reader.ts';

useLeakCheck();

const logger = createLogger({ service: 'gateway', level: 'silent' });

async function refusalsOf(principal: PrincipalInput) {
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
  const { answer } = await grpcCatalogReader(client).resolveCredential(credential, OLDEST_REVISION);
  return [answer?.accessRefusal, answer?.billingRefusal];
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
  expect(await refusalsOf({ accessRefusal, billingRefusal })).toEqual(heard);
});
