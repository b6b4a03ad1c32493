import { CatalogModel } from '@sluice/contracts';
import { useLeakCheck } from '@sluice/devkit';
import { connectCatalog, serveCatalog } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { expect, it } from 'vitest';
import { decodeModels, encodeModels } from '../src/messages.ts';

useLeakCheck();

const logger = createLogger({ service: 'test', level: 'silent' });

type EveryField<Type> = { [Key in keyof Type]-?: EveryField<NonNullable<Type[Key]>> };

/** The type requires every field, so a new field of the catalog fails type checking here. Gateways need no prices. */
const EVERY_FIELD: EveryField<Omit<CatalogModel, 'prices'>> = {
  id: 'acme/chat',
  object: 'model',
  created: 7,
  owned_by: 'acme',
  shutdown_date: '2031-01-01',
  context_length: 100,
  max_output_tokens: 50,
  default_parameters: { max_tokens: 20 },
  reasoning: { supported_efforts: ['low', 'high'], default_effort: 'low', mandatory: true },
  pool: 'gpu',
  runtime_model: 'chat',
  targets: [
    {
      name: 'stable',
      pool: 'gpu',
      runtime_model: 'chat',
      weight: 99.5,
      context_length: 200,
      max_output_tokens: 100,
      supported_efforts: ['low', 'high'],
    },
  ],
  reasoning_history: 'required',
  input_token_ratio: 0.3,
  wake_timeout: 300,
};

const LEAST = CatalogModel.parse({
  id: 'acme/least',
  owned_by: 'acme',
  pool: 'gpu',
  runtime_model: 'least',
});

it('decodes encoded models unchanged, and encodes equal models as equal bytes', async () => {
  const models = [EVERY_FIELD, LEAST];
  const encodedModels = encodeModels(models);
  expect(encodeModels(structuredClone(models))).toEqual(encodedModels);
  await using server = await serveCatalog({
    host: '127.0.0.1',
    port: 0,
    logger,
    handlers: {
      resolveCredential: async () => ({}),
      listModels: async () => ({ tag: 'one', encodedModels }),
    },
  });
  await using client = connectCatalog({ addresses: [server.address], deadlineMs: 5_000, logger });
  await client.ready();
  const reply = await client.listModels({ organization: 'acme' });
  expect(decodeModels(reply.encodedModels ?? Buffer.alloc(0))).toStrictEqual(models);
});
