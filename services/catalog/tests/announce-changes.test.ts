import { connectBus } from '@sluice/bus';
import { CatalogChanged, subjectsUnder, type Revision } from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { expect, it } from 'vitest';
import { announceChanges } from '../src/store/announce-changes.ts';

useLeakCheck();
const nats = useNats();
const logger = createLogger({ service: 'announce-test', level: 'silent' });

/** The connection of a catalog, and the announcements that a gateway receives from it. */
async function listen() {
  await using started = new AsyncDisposableStack();
  const subjects = subjectsUnder(nats.namespace);
  const connect = (name: string) => connectBus({ servers: [nats.url], name, logger });
  const gateway = started.use(await connect('gateway'));
  const catalog = started.use(await connect('catalog'));
  const heard: CatalogChanged[] = [];
  gateway.subscribe(subjects.catalogChanged(), ({ json }) => {
    heard.push(CatalogChanged.parse(json));
  });
  await gateway.flush();
  const owned = started.move();
  return { catalog, subjects, heard, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

it('repeats the position of the store, in case an announcement was lost', async () => {
  await using parts = await listen();
  const { catalog, subjects, heard } = parts;
  let position: Revision | undefined = { epoch: 1, sequence: 1 };
  using announcer = announceChanges(catalog, subjects, () => position);
  await waitUntil(() => heard.length > 0, { what: 'the position at the start' });
  // This replica has received the change. The replica that made it was killed before it announced it.
  position = { epoch: 1, sequence: 2 };
  await waitUntil(() => heard.some(({ sequence }) => sequence === 2), { what: 'the repetition' });
  expect(heard.every(({ organizations }) => organizations === undefined)).toBe(true);
  announcer.announce({ epoch: 1, sequence: 3 }, { organizations: ['acme'] });
  await waitUntil(() => heard.some(({ organizations }) => organizations?.[0] === 'acme'), {
    what: 'an announcement of its own',
  });
});

it('announces no position while the store is being loaded', async () => {
  await using parts = await listen();
  const { catalog, subjects, heard } = parts;
  let asked = 0;
  let isLoaded = false;
  using _announcer = announceChanges(catalog, subjects, () => {
    asked += 1;
    return isLoaded ? { epoch: 2, sequence: 9 } : undefined;
  });
  await waitUntil(() => asked >= 3, { what: 'a repetition that has nothing to tell' });
  isLoaded = true;
  await waitUntil(() => heard.length > 0, { what: 'the position once it is read' });
  expect(heard[0]).toEqual({ epoch: 2, sequence: 9 });
});
