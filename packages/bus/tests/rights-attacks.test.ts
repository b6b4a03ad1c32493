import { jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import {
  busUsers,
  serverAccounts,
  sharedSubjects,
  subjectsUnder,
  workerName,
} from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectBus, type Bus } from '../src/index.ts';
import { PASSWORD, SHIPPED_FORMS, startGuardedNats } from './guarded-nats.ts';

useLeakCheck();
const subjects = subjectsUnder('sluice');
const logger = createLogger({ service: 'test', level: 'silent' });
const BUCKET = 'sluice-catalog';
const PROMPT = 'what the client asked';

const twoPools = () =>
  Promise.resolve(
    JSON.stringify({
      accounts: serverAccounts(
        busUsers({ pools: ['default', 'other'] }),
        sharedSubjects(),
        () => PASSWORD,
      ),
    }),
  );

describe.each([...Object.entries(SHIPPED_FORMS), ['two pools', twoPools] as const])(
  'with the rights of %s',
  (_, form) => {
    let nats: Awaited<ReturnType<typeof startGuardedNats>>;
    let running: AsyncDisposableStack;
    let catalog: Bus;
    beforeAll(async () => {
      nats = await startGuardedNats(form);
    });
    afterAll(async () => {
      await nats[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      running = new AsyncDisposableStack();
      catalog = await service('catalog', 'catalog');
      const store = await catalog.openKeyValue({ bucket: BUCKET, replicas: 1, history: 64 });
      const { sequence } = await store.end();
      await store.put('key', Buffer.from('a record'), { expectedLastSequence: sequence });
      const bounds = { replicas: 1, maxAgeMs: 3_600_000, maxBytes: 1_048_576 };
      for (const { stream, subjects: kept } of subjects.ledger) {
        const keeper = catalog.keepLedgerStream({ stream, subjects: kept(), ...bounds });
        running.use(keeper);
        await waitUntil(() => keeper.state.exists, { what: 'the ledger' });
      }
    });
    afterEach(async () => {
      await running.disposeAsync();
    });

    /** Connects as a service does. */
    async function service(user: string, inboxOf: string): Promise<Bus> {
      const servers = [nats.urlOf(user)];
      const inbox = subjects.inbox(inboxOf);
      return running.use(await connectBus({ servers, name: user, inbox, logger }));
    }

    /** Connects as an attacker with the password of a user. */
    async function stolen(user: string, inboxOf: string): Promise<NatsConnection> {
      const inboxPrefix = subjects.inbox(inboxOf);
      const connection = await connect({ ...nats.loginOf(user), inboxPrefix });
      running.defer(() => connection.close());
      return connection;
    }

    /** Configurations and message counts of the streams, as the catalog's user sees them. */
    async function streams() {
      const owner = await stolen('catalog', 'catalog');
      const manager = await jetstreamManager(owner);
      const names = [`KV_${BUCKET}`, ...subjects.ledger.map(({ stream }) => stream)];
      return Promise.all(
        names.map(async (name) => {
          const { config, state } = await manager.streams.info(name);
          return { config, firstSequence: state.first_seq, messages: state.messages };
        }),
      );
    }

    it('records of gateways and workers are stored, and read by the operator', async () => {
      const gateway = await service('gateway', 'gateway');
      const worker = await service('worker-default', 'worker.default');
      const [outcomes, attempts] = [gateway, worker].map((bus) =>
        running.use(bus.openLedger({ kind: 'outcomes', stream: subjects.outcomes.stream })),
      );
      const refusals = running.use(
        gateway.openLedger({ kind: 'refusals', stream: subjects.refusals.stream }),
      );
      const subjectOf = (kind: 'request' | 'attempt') =>
        subjects.outcomes.subject({ kind, organization: 'acme.co' });
      const refused = subjects.refusals.subject({ organization: 'acme.co' });
      outcomes?.append({ id: 'one', subject: subjectOf('request'), record: { id: 'one' } });
      attempts?.append({ id: 'two', subject: subjectOf('attempt'), record: { id: 'two' } });
      refusals.append({ id: 'three', subject: refused, record: { id: 'three' } });
      for (const ledger of [outcomes, attempts, refusals]) {
        expect(await ledger?.settled(10_000)).toBe(true);
        expect(ledger?.counts).toEqual({ pending: 0, stored: 1, lost: 0 });
      }
      const operator = await service('operator', 'operator');
      const read: string[] = [];
      for (const { stream, subjects: kept } of subjects.ledger) {
        const query = { stream, subjects: kept(), sinceMs: 0 };
        for await (const { text } of operator.readLedger(query)) read.push(text);
      }
      expect(read.toSorted()).toEqual(['{"id":"one"}', '{"id":"three"}', '{"id":"two"}']);
    });

    it('jobs, answers, cancels, inquiries and drains pass, and notifications of the catalog and the fleet', async () => {
      const gateway = await service('gateway', 'gateway');
      const worker = await service('worker-default', 'worker.default');
      const operator = await service('operator', 'operator');
      const heard: string[] = [];
      const name = workerName('default', 'one');
      const note = (bus: Bus, subject: string, answers = false) =>
        bus.subscribe(subject, (message) => {
          heard.push(message.subject);
          if (answers) message.respond(Buffer.alloc(0));
        });
      note(worker, subjects.job(name));
      note(worker, subjects.control(name), true);
      note(worker, subjects.leases());
      note(gateway, subjects.deltas('one'), true);
      note(gateway, subjects.fleets());
      note(gateway, subjects.catalogChanged());
      note(operator, subjects.fleets());
      for (const bus of [gateway, worker, operator]) await bus.flush();
      const said: [Bus, string][] = [
        [gateway, subjects.job(name)],
        [gateway, subjects.lease('one')],
        [worker, subjects.delta('one', 'request-1')],
        [worker, subjects.fleet('default')],
        [catalog, subjects.catalogChanged()],
        [operator, subjects.control(name)],
      ];
      for (const [bus, subject] of said) bus.publish(subject, Buffer.from('x'));
      const payload = Buffer.from('x');
      await gateway.request(subjects.control(name), payload, { timeoutMs: 5_000 });
      await worker.request(subjects.delta('one', 'inquiry'), payload, { timeoutMs: 5_000 });
      const expected = [...said.map(([, subject]) => subject), subjects.fleet('default')];
      expected.push(subjects.control(name), subjects.delta('one', 'inquiry'));
      await waitUntil(() => heard.length >= expected.length, { what: 'all to be heard' });
      expect(heard.toSorted()).toEqual(expected.toSorted());
    });

    it.each([
      ['gateway', 'gateway'],
      ['worker-default', 'worker.default'],
    ])('%s changes no stream by any call', async (user, inboxOf) => {
      const before = await streams();
      const thief = await stolen(user, inboxOf);
      const [kept] = subjects.ledger;
      const greedy = { name: kept?.stream, subjects: ['sluice.ledger.>', 'sluice.job.>'] };
      const forgetful = { name: kept?.stream, subjects: ['sluice.ledger.>'], max_msgs: 1 };
      const own = { name: 'own', subjects: ['sluice.job.>', 'sluice.delta.>'] };
      for (const { stream } of [{ stream: `KV_${BUCKET}` }, ...subjects.ledger]) {
        const calls: [string, object?][] = [
          [`STREAM.UPDATE.${stream}`, { ...greedy, name: stream }],
          [`STREAM.UPDATE.${stream}`, { ...forgetful, name: stream }],
          [`STREAM.CREATE.${stream}`, { ...greedy, name: stream }],
          [`STREAM.PURGE.${stream}`],
          [`STREAM.DELETE.${stream}`],
          [`STREAM.MSG.DELETE.${stream}`, { seq: 1 }],
          ['STREAM.CREATE.own', own],
        ];
        for (const [call, body] of calls) {
          const payload = body === undefined ? '' : JSON.stringify(body);
          thief.publish(`$JS.API.${call}`, payload, { reply: `${subjects.inbox(inboxOf)}.x` });
        }
      }
      await thief.flush();
      // After that, no job or answer is written to a disk either.
      const gateway = await service('gateway', 'gateway');
      const worker = await service('worker-default', 'worker.default');
      gateway.publish(subjects.job(workerName('default', 'one')), Buffer.from(PROMPT));
      worker.publish(subjects.delta('one', 'request-1'), Buffer.from(PROMPT));
      await gateway.flush();
      await worker.flush();
      expect(await streams()).toEqual(before);
    });

    it.each([
      ['gateway', 'gateway', 'request'],
      ['worker-default', 'worker.default', 'attempt'],
    ] as const)(
      '%s reaches no stream by the acknowledgement of a record',
      async (user, inboxOf, kind) => {
        const [bucketBefore] = await streams();
        const thief = await stolen(user, inboxOf);
        const subject = subjects.outcomes.subject({ kind, organization: 'acme' });
        let acknowledged = false;
        const inbox = `${subjects.inbox(inboxOf)}.last`;
        const callback = () => {
          acknowledged = true;
        };
        thief.subscribe(inbox, { callback });
        const streamNames = [`KV_${BUCKET}`, ...subjects.ledger.map(({ stream }) => stream)];
        const targets = [
          `$KV.${BUCKET}.key`,
          ...streamNames.flatMap((name) =>
            ['PURGE', 'DELETE', 'MSG.DELETE'].map((call) => `$JS.API.STREAM.${call}.${name}`),
          ),
        ];
        for (const reply of targets) {
          thief.publish(subject, 'x', { reply });
          const traced = headers();
          traced.set('Nats-Trace-Dest', reply);
          thief.publish(subject, 'x', { headers: traced });
        }
        thief.publish(subject, 'x', { reply: inbox });
        await waitUntil(() => acknowledged, { what: 'the last acknowledgement' });
        const [bucket, outcomes] = await streams();
        expect(bucket).toEqual(bucketBefore);
        // The attack only added records; none was removed.
        expect(outcomes).toMatchObject({ firstSequence: 1 });
        expect(outcomes?.messages).toBeGreaterThanOrEqual(2 * targets.length + 1);
      },
    );

    it.each([
      ['gateway', 'gateway'],
      ['worker-default', 'worker.default'],
      ['operator', 'operator'],
    ])('%s receives nothing of what the catalog reads and writes', async (user, inboxOf) => {
      const thief = await stolen(user, inboxOf);
      const heard: string[] = [];
      const nets = [
        '>',
        '_INBOX.>',
        'sluice.>',
        'sluice.inbox.>',
        'sluice.inbox.catalog.>',
        '$KV.>',
      ];
      for (const subject of [...nets, `${subjects.inbox(inboxOf)}.>`]) {
        const callback = (error: Error | null, { subject: said }: { subject: string }) => {
          if (error === null) heard.push(said);
        };
        thief.subscribe(subject, { callback });
        thief.subscribe(subject, { queue: 'a-group', callback });
      }
      await thief.flush();
      const store = await catalog.openKeyValue({ bucket: BUCKET, replicas: 1, history: 64 });
      const { sequence } = await store.end();
      await store.put('new-key', Buffer.from('secret'), { expectedLastSequence: sequence });
      expect(await store.changes({ from: 1, to: sequence + 1 })).not.toHaveLength(0);
      await thief.flush();
      expect(heard).toEqual([]);
    });
  },
);

it('the user of a pool receives only jobs of its own pool', async () => {
  await using nats = await startGuardedNats(twoPools);
  const open = async (user: string) =>
    connectBus({ servers: [nats.urlOf(user)], name: user, logger });
  await using gateway = await open('gateway');
  await using own = await open('worker-default');
  await using other = await open('worker-other');
  const heard: string[] = [];
  const name = workerName('default', 'one');
  for (const subject of [subjects.job(name), subjects.control(name)]) {
    own.subscribe(subject, (message) => heard.push(`own ${message.subject}`));
    other.subscribe(subject, (message) => heard.push(`other ${message.subject}`));
  }
  other.subscribe(subjects.job('*.*'), (message) => heard.push(`other ${message.subject}`));
  other.subscribe(subjects.job(workerName('other', 'two')), (message) =>
    heard.push(`other ${message.subject}`),
  );
  await own.flush();
  await other.flush();
  gateway.publish(subjects.job(name), Buffer.from(PROMPT));
  gateway.publish(subjects.control(name), Buffer.from('x'));
  gateway.publish(subjects.job(workerName('other', 'two')), Buffer.from('x'));
  await waitUntil(() => heard.length >= 3, { what: 'the jobs and the cancel' });
  expect(heard.toSorted()).toEqual([
    'other sluice.job.other.two',
    'own sluice.control.default.one',
    'own sluice.job.default.one',
  ]);
});
