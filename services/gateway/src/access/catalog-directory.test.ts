import { CatalogModel, mintApiKey } from '@sluice/contracts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CatalogAnswer } from './answer-cache.ts';
import {
  CatalogDirectory,
  type CatalogDirectoryOptions,
  type CatalogReader,
} from './catalog-directory.ts';
import { readCredential, type Credential } from './credential.ts';
import { testPrincipal } from './principal-fixture.ts';
import type { Principal } from './principal.ts';

const REVISION = { epoch: 1, sequence: 1 };
const callContext = { requestId: 'request1', trace: undefined };

function directoryOf(
  resolveCredential: CatalogReader['resolveCredential'],
  {
    listModels = () => Promise.reject(new Error('not asked for')),
    ...clocks
  }: Partial<
    Pick<CatalogDirectoryOptions, 'clock' | 'wallClock'> & Pick<CatalogReader, 'listModels'>
  > = {},
): CatalogDirectory {
  return new CatalogDirectory({
    reader: { resolveCredential, listModels },
    freshMs: 1_000,
    staleMs: 1_000,
    maximumEntries: 10_000,
    clock: () => 0,
    wallClock: () => 0,
    ...clocks,
  });
}

const apiKey = () => readCredential(['Authorization', `Bearer ${mintApiKey()}`]);
const playground = (number: number) =>
  readCredential(['Authorization', `Bearer pg-fake${number}.${'A'.repeat(86)}`]);

test('a flood of invented playground tokens does not delay API keys', async () => {
  const unknown: CatalogAnswer<Principal> = { answer: undefined, revision: REVISION };
  const { promise: flooded, resolve: answerFlood } =
    Promise.withResolvers<CatalogAnswer<Principal>>();
  const asked: Credential['kind'][] = [];
  const directory = directoryOf(({ kind }) => {
    asked.push(kind);
    return kind === 'playground' ? flooded : Promise.resolve(unknown);
  });
  const flood = Array.from({ length: 2_000 }, async (_, number) =>
    directory.authenticate(playground(number), callContext).catch((error: unknown) => error),
  );
  await expect(directory.authenticate(apiKey(), callContext)).rejects.toMatchObject({
    code: 'invalid_api_key',
  });
  // The catalog receives only a few of them.
  expect(asked.filter((kind) => kind === 'playground')).toHaveLength(64);
  answerFlood(unknown);
  await Promise.all(flood);
});

test('a cached key is valid until its expiry date', async () => {
  let now = 4_999;
  const principal = testPrincipal({ expiresAtMs: 5_000 });
  let asked = 0;
  const resolve = () => {
    asked += 1;
    return Promise.resolve({ answer: principal, revision: REVISION });
  };
  const directory = directoryOf(resolve, { wallClock: () => now });
  const key = apiKey();
  expect(await directory.authenticate(key, callContext)).toBe(principal);
  now = 5_000;
  await expect(directory.authenticate(key, callContext)).rejects.toMatchObject({
    code: 'invalid_api_key',
  });
  expect(asked).toBe(1);
});

test('a change from an older store outdates a cached key too', async () => {
  let now = 0;
  let answer: Principal | undefined = testPrincipal();
  const resolve = () => Promise.resolve({ answer, revision: REVISION });
  const directory = directoryOf(resolve, { clock: () => now });
  const key = apiKey();
  directory.noteChange({ epoch: 2, sequence: 1 });
  expect(await directory.authenticate(key, callContext)).toBe(answer);
  answer = undefined;
  now = 1;
  expect(directory.noteChange({ epoch: 1, sequence: 2 })).toBe(false);
  await expect(directory.authenticate(key, callContext)).rejects.toMatchObject({
    code: 'invalid_api_key',
  });
});

test('a change of a model does not outdate a cached key', async () => {
  let asked = 0;
  const directory = directoryOf(() => {
    asked += 1;
    return Promise.resolve({ answer: testPrincipal(), revision: REVISION });
  });
  const key = apiKey();
  directory.noteChange(REVISION);
  await directory.authenticate(key, callContext);
  directory.noteChange({ epoch: 1, sequence: 2, answers: 'models' });
  await directory.authenticate(key, callContext);
  expect(asked).toBe(1);
  directory.noteChange({ epoch: 1, sequence: 3 });
  await directory.authenticate(key, callContext);
  expect(asked).toBe(2);
});

describe('lists of models', () => {
  const model = CatalogModel.parse({ id: 'a', owned_by: 'x', pool: 'p', runtime_model: 'a' });
  let tag: string;
  let now: number;
  let asked: { readonly organization: string; readonly knownTags: readonly string[] }[];
  let directory: CatalogDirectory;
  beforeEach(() => {
    tag = 'first';
    now = 0;
    asked = [];
    const listModels: CatalogReader['listModels'] = ({ organization, knownTags }) => {
      asked.push({ organization, knownTags });
      const read = () => {
        if (knownTags.includes(tag)) throw new Error('models omitted');
        return [{ ...model, id: tag }];
      };
      return Promise.resolve({ answer: { tag, read }, revision: REVISION });
    };
    directory = directoryOf(() => Promise.reject(new Error('not asked for')), {
      listModels,
      clock: () => now,
    });
  });

  test('that have not changed are requested by tag and shared by all organizations', async () => {
    const models = await directory.models('acme', callContext);
    expect(await directory.models('other', callContext)).toBe(models);
    now = 1_000;
    expect(await directory.models('acme', callContext)).toBe(models);
    expect(models.find('first', 0)?.id).toBe('first');
    expect(asked).toEqual([
      { organization: 'acme', knownTags: [] },
      { organization: 'other', knownTags: ['first'] },
      { organization: 'acme', knownTags: ['first'] },
    ]);
  });

  test('that have changed are received once and shared by all organizations', async () => {
    directory.noteChange(REVISION);
    await directory.models('acme', callContext);
    await directory.models('other', callContext);
    directory.noteChange({ epoch: 1, sequence: 2, answers: 'models' });
    tag = 'second';
    const models = await directory.models('acme', callContext);
    expect(models.find('second', 0)?.id).toBe('second');
    expect(models.find('first', 0)).toBeUndefined();
    expect(await directory.models('other', callContext)).toBe(models);
    expect(asked.at(-1)).toEqual({ organization: 'other', knownTags: ['first', 'second'] });
  });
});
