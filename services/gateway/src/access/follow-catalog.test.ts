import type { Bus, BusMessage } from '@sluice/bus';
import { mintApiKey, subjectsUnder } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { expect, test } from 'vitest';
import { CatalogDirectory } from '../domain/catalog-directory.ts';
import { readCredential } from '../domain/credential.ts';
import { principalOf } from '../domain/principal-fixture.ts';
import { followCatalog } from './follow-catalog.ts';

const POSITION = { epoch: 1, sequence: 1 };

/** Whether an answer that was given before something happened is asked for again after it. */
async function asksAgainAfter(
  happens: (bus: Record<'lose' | 'regain' | 'unreadable', () => void>) => void,
): Promise<boolean> {
  let now = 0;
  let asked = 0;
  const directory = new CatalogDirectory({
    reader: {
      resolveCredential: () => {
        asked += 1;
        return Promise.resolve({ answer: principalOf(), position: POSITION });
      },
      listModels: () => Promise.reject(new Error('not asked for')),
    },
    freshMs: 60_000,
    staleMs: 60_000,
    maximumEntries: 10,
    clock: () => (now += 1),
    wallClock: () => 0,
  });
  const listeners: Record<'lose' | 'regain' | 'unreadable', () => void> = {
    lose: () => undefined,
    regain: () => undefined,
    unreadable: () => undefined,
  };
  const on = (event: keyof typeof listeners) => (listener: () => void) => {
    listeners[event] = listener;
    return () => undefined;
  };
  const bus: Partial<Bus> = {
    subscribe: (_, handler) => {
      on('unreadable')(() => handler({ json: { epoch: 'of another version' } } as BusMessage));
      return { unsubscribe: () => undefined };
    },
    onDisconnect: on('lose'),
    onReconnect: on('regain'),
  };
  using _following = followCatalog({
    bus: bus as Bus,
    subjects: subjectsUnder('test'),
    directory,
    logger: createLogger({ service: 'gateway', level: 'silent' }),
  });
  const credential = readCredential(['Authorization', `Bearer ${mintApiKey()}`]);
  const asker = { requestId: 'request1', trace: undefined };
  await directory.authenticate(credential, asker);
  await directory.authenticate(credential, asker);
  expect(asked).toBe(1);
  happens(listeners);
  await directory.authenticate(credential, asker);
  return asked === 2;
}

test('as long as nothing is missed, answers are not asked for again', async () => {
  expect(await asksAgainAfter(() => undefined)).toBe(false);
});

test('what was answered before the bus was lost is asked for again', async () => {
  expect(await asksAgainAfter(({ lose }) => lose())).toBe(true);
});

test('what was answered while the bus was lost is asked for again when it is back', async () => {
  expect(await asksAgainAfter(({ regain }) => regain())).toBe(true);
});

test('news that cannot be read may be of anything', async () => {
  expect(await asksAgainAfter(({ unreadable }) => unreadable())).toBe(true);
});
