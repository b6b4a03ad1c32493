import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subjectsUnder } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { expect, it } from 'vitest';
import { connectBus } from '../src/index.ts';
import { PASSWORD, SHIPPED_FORMS, writeSettings } from './guarded-nats.ts';
import { NatsProcess } from './nats-process.ts';

useLeakCheck();
const logger = createLogger({ service: 'test', level: 'silent' });
const BUCKET = { bucket: 'sluice-catalog', replicas: 1, history: 64 };

it.each(Object.entries(SHIPPED_FORMS))(
  'a NATS without users keeps its catalog and its ledger when it gets those of %s',
  async (_, form) => {
    const { outcomes } = subjectsUnder('sluice');
    const bounds = { replicas: 1, maxAgeMs: 3_600_000, maxBytes: 1_048_576 };
    const kept = { stream: outcomes.stream, subjects: outcomes.subjects(), ...bounds };
    const subject = outcomes.subject({ kind: 'request', organization: 'acme' });
    await using nats = await NatsProcess.start();
    {
      await using bus = await connectBus({ servers: [nats.address], name: 'before', logger });
      const store = await bus.openKeyValue(BUCKET);
      await store.put('key', Buffer.from('a record'), { expectedLastSequence: 0 });
      using _keeper = bus.keepLedgerStream(kept);
      await using ledger = bus.openLedger({ kind: 'outcomes', stream: outcomes.stream });
      ledger.append({ id: 'one', subject, record: { id: 'one' } });
      expect(await ledger.settled(10_000)).toBe(true);
    }
    await nats.kill();
    await nats.renameAccount('$G', 'STORE');
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sluice-upgrade-'));
    await nats.restart('-c', await writeSettings(folder.path, form));
    const servers = [`nats://catalog:${PASSWORD}@${nats.address}`];
    const inbox = subjectsUnder('sluice').inbox('catalog');
    await using catalog = await connectBus({ servers, name: 'catalog', inbox, logger });
    const store = await catalog.openKeyValue(BUCKET);
    expect(await store.changes({ from: 1, to: 1 })).toMatchObject([{ key: 'key' }]);
    using keeper = catalog.keepLedgerStream(kept);
    await waitUntil(() => keeper.state.exists, { what: 'the ledger' });
    const { exists } = await catalog.ledgerExtent(outcomes.stream);
    expect(exists).toBe(true);
    const operators = [`nats://operator:${PASSWORD}@${nats.address}`];
    await using operator = await connectBus({
      servers: operators,
      name: 'operator',
      inbox: subjectsUnder('sluice').inbox('operator'),
      logger,
    });
    const read: string[] = [];
    const query = { stream: outcomes.stream, subjects: outcomes.subjects(), sinceMs: 0 };
    for await (const { text } of operator.readLedger(query)) read.push(text);
    expect(read).toEqual(['{"id":"one"}']);
  },
);
