import type { Bus, BusMessage } from '@sluice/bus';
import { mintApiKey, subjectsUnder } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { expect, test } from 'vitest';
import { CatalogDirectory } from './catalog-directory.ts';
import { readCredential } from './credential.ts';
import { followCatalog } from './follow-catalog.ts';
import { testPrincipal } from './principal-fixture.ts';

const REVISION = { epoch: 1, sequence: 1 };

/** Whether an answer from before the event is requested again after it. */
async function asksAgainAfter(
  happens: (bus: Record<'lose' | 'regain' | 'unreadable', () => void>) => void,
): Promise<boolean> {
  let now = 0;
  let asked = 0;
  const directory = new CatalogDirectory({
    reader: {
      resolveCredential: () => {
        asked += 1;
        return Promise.resolve({ answer: testPrincipal(), revision: REVISION });
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
  const callContext = { requestId: 'request1', trace: undefined };
  await directory.authenticate(credential, callContext);
  await directory.authenticate(credential, callContext);
  expect(asked).toBe(1);
  happens(listeners);
  await directory.authenticate(credential, callContext);
  return asked === 2;
}

test('without an event, answers are not requested again', async () => {
  expect(await asksAgainAfter(() => undefined)).toBe(false);
});

test('answers from before a disconnect of the bus are requested again', async () => {
  expect(await asksAgainAfter(({ lose }) => lose())).toBe(true);
});

test('answers from during a disconnect are requested again after the reconnect', async () => {
  expect(await asksAgainAfter(({ regain }) => regain())).toBe(true);
});

test('a notice that cannot be parsed outdates all answers', async () => {
  expect(await asksAgainAfter(({ unreadable }) => unreadable())).toBe(true);
});
