import { connectBus } from '@sluice/bus';
import { CatalogChanged, subjectsUnder } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { useLeakCheck, useNats, waitUntil } from '@sluice/testkit';
import { expect, it } from 'vitest';
import { announceChanges } from '../src/bus/announce-changes.ts';

useLeakCheck();
const nats = useNats();
const logger = createLogger({ service: 'announce-test', level: 'silent' });

it('repeats where the store is, for a change whose own announcement was lost', async () => {
  const subjects = subjectsUnder(nats.namespace);
  await using gateway = await connectBus({ servers: [nats.url], name: 'gateway', logger });
  await using catalog = await connectBus({ servers: [nats.url], name: 'catalog', logger });
  const heard: CatalogChanged[] = [];
  const subscription = gateway.subscribe(subjects.catalogChanged(), ({ data }) => {
    heard.push(CatalogChanged.parse(JSON.parse(Buffer.from(data).toString('utf8'))));
  });
  await gateway.flush();
  let position = { epoch: 1, sequence: 1 };
  using announcer = announceChanges(catalog, subjects, () => position);
  await waitUntil(() => heard.length > 0, { what: 'the position at the start' });
  // Seen by this replica's watch; the one that made it was killed before it said so.
  position = { epoch: 1, sequence: 2 };
  await waitUntil(() => heard.some(({ sequence }) => sequence === 2), { what: 'the repetition' });
  expect(heard.every(({ organizations }) => organizations === undefined)).toBe(true);
  announcer.announce({ epoch: 1, sequence: 3 }, ['acme']);
  await waitUntil(() => heard.some(({ organizations }) => organizations?.[0] === 'acme'), {
    what: 'an announcement of its own',
  });
  subscription.unsubscribe();
});
