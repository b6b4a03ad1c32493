import { Metadata } from '@grpc/grpc-js';
import type { AdmissionDecision } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { connectQuota, serveCatalog, type QuotaClient } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import type { AnsweredCall } from '../src/decision-stream.ts';
import { QUOTA_SERVICE, QUOTA_SERVICE_NAME } from '../src/quota-service.ts';
import { startRpcServer } from '../src/rpc-server.ts';
import { admission, UNANSWERED_TOKENS } from './replica-handlers.ts';
import { startReplica, startReplicaProcess, type Replica } from './replicas.ts';

useLeakCheck();

const logger = createLogger({ service: 'test', level: 'silent' });
const portOf = ({ address }: Replica) => Number(address.split(':').at(-1));

/** Connects with a deadline long enough for a busy machine, unless the test is about deadlines. */
async function connected(replicas: readonly Replica[], deadlineMs = 5_000): Promise<QuotaClient> {
  const addresses = replicas.map(({ address }) => address);
  const client = connectQuota({ addresses, deadlineMs, logger });
  await waitUntil(() => Object.values(client.state().replicas).every((state) => state === 'up'), {
    what: 'every replica to be up',
  });
  return client;
}

/** Organizations that this client sends to this replica. */
async function organizationsOf(replica: Replica, client: QuotaClient): Promise<string[]> {
  const names = Array.from({ length: 40 }, (_, index) => `organization-${index}`);
  await Promise.all(names.map((name) => client.admit(admission(name))));
  return names.filter((name) => replica.received.includes(name));
}

async function timed<Value>(work: Promise<Value>): Promise<{ value: Value; ms: number }> {
  const startedAt = performance.now();
  return { value: await work, ms: performance.now() - startedAt };
}

describe('a quota client', () => {
  it('gives an organization to one replica, and spreads organizations over all', async () => {
    await using first = await startReplica();
    await using second = await startReplica();
    await using client = await connected([first, second]);
    const names = Array.from({ length: 40 }, (_, index) => `organization-${index}`);
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(names.map((name) => client.admit(admission(name))));
    }
    const [ofFirst, ofSecond] = [new Set(first.received), new Set(second.received)];
    expect(ofFirst.size + ofSecond.size).toBe(names.length);
    expect(Math.min(ofFirst.size, ofSecond.size)).toBeGreaterThan(5);
  });

  it('answers unavailable at the deadline when a decision does not come', async () => {
    await using replica = await startReplica();
    await using client = await connected([replica], 150);
    const { value, ms } = await timed(client.admit(admission('silent', UNANSWERED_TOKENS)));
    expect(value).toStrictEqual({ outcome: 'unavailable' });
    expect(ms).toBeGreaterThan(140);
  });

  it('stays with a replica that is late with one decision and has made others meanwhile', async () => {
    await using replica = await startReplica();
    await using client = await connected([replica], 500);
    const owed = client.admit(admission('silent', UNANSWERED_TOKENS));
    expect(await client.admit(admission('a'))).toMatchObject({ outcome: 'admitted' });
    expect(await owed).toStrictEqual({ outcome: 'unavailable' });
    expect(client.state().replicas[replica.address]).toBe('up');
  });

  it('continues with a replica that was late once if there is no other', async () => {
    await using replica = await startReplica();
    await using client = await connected([replica], 500);
    expect(await client.admit(admission('silent', UNANSWERED_TOKENS))).toStrictEqual({
      outcome: 'unavailable',
    });
    expect(await client.admit(admission('a'))).toMatchObject({ outcome: 'admitted' });
    expect(client.state().replicas[replica.address]).toBe('up');
  });

  it('answers unavailable at once when a replica dies, and sends nothing again', async () => {
    await using replica = await startReplicaProcess();
    await using client = connectQuota({ addresses: [replica.address], logger, deadlineMs: 5_000 });
    await client.ready();
    const unanswered = ['a', 'b', 'c'].map((name) =>
      client.admit(admission(name, UNANSWERED_TOKENS)),
    );
    await waitUntil(() => replica.received.length === 3, { what: 'the admissions to arrive' });
    replica.signal('SIGKILL');
    const { value, ms } = await timed(Promise.all(unanswered));
    expect(value.map(({ outcome }) => outcome)).toStrictEqual(Array(3).fill('unavailable'));
    expect(ms).toBeLessThan(1_000);
    await replica.ended();
    await using successor = await startReplicaProcess(portOf(replica));
    await waitUntil(async () => (await client.admit(admission('d'))).outcome === 'admitted', {
      what: 'the restarted replica to be used',
    });
    expect(new Set(successor.received)).toStrictEqual(new Set(['d']));
  });

  it('reports that a replica is not there yet, is reached and is lost, once each', async () => {
    const replica = await startReplica();
    await replica[Symbol.asyncDispose]();
    const told: unknown[] = [];
    const telling = createLogger({
      service: 'test',
      level: 'info',
      destination: { write: (line) => void told.push(JSON.parse(line)) },
    });
    const { address } = replica;
    await using client = connectQuota({ addresses: [address], deadlineMs: 5_000, logger: telling });
    await waitUntil(() => told.length === 1, { what: 'its absence to be told' });
    await using successor = await startReplicaProcess(portOf(replica));
    await client.ready();
    successor.signal('SIGKILL');
    await waitUntil(() => told.length === 3, { what: 'its loss to be told' });
    expect(told).toMatchObject([
      { level: 'warn', neighbour: 'quota', address, msg: 'not reached yet; still trying' },
      { level: 'info', neighbour: 'quota', address, msg: 'connected' },
      { level: 'warn', neighbour: 'quota', address, msg: 'connection lost' },
    ]);
  });

  it('uses a restarted replica within a second', async () => {
    await using replica = await startReplicaProcess();
    await using client = await connected([replica]);
    replica.signal('SIGKILL');
    await replica.ended();
    await waitUntil(() => client.state().replicas[replica.address] === 'connecting', {
      what: 'the loss to be noticed',
    });
    await using _successor = await startReplicaProcess(portOf(replica));
    const { ms } = await timed(
      waitUntil(async () => (await client.admit(admission('a'))).outcome === 'admitted', {
        what: 'the restarted replica to be used',
      }),
    );
    expect(ms).toBeLessThan(1_000);
  });

  it('uses another replica while one is frozen, and returns when it continues', async () => {
    await using frozen = await startReplicaProcess();
    await using other = await startReplica();
    await using client = await connected([frozen, other], 500);
    const [organization = ''] = await organizationsOf(frozen, client);
    frozen.signal('SIGSTOP');
    const { value, ms } = await timed(client.admit(admission(organization)));
    expect(value).toStrictEqual({ outcome: 'unavailable' });
    expect(ms).toBeLessThan(1_000);
    const elsewhere = await client.admit(admission(organization));
    expect(elsewhere).toMatchObject({ outcome: 'admitted', decidedAtMs: other.id });
    await waitUntil(() => client.state().replicas[frozen.address] === 'connecting', {
      what: 'the frozen replica to be given up',
    });
    frozen.signal('SIGCONT');
    await waitUntil(() => client.state().replicas[frozen.address] === 'up', {
      what: 'the thawed replica to be up',
    });
    const back = await client.admit(admission(organization));
    expect(back).toMatchObject({ outcome: 'admitted', decidedAtMs: frozen.id });
  });

  it('sends only a few of a steady load to a replica that freezes', async () => {
    await using frozen = await startReplicaProcess();
    await using other = await startReplica();
    await using client = await connected([frozen, other], 150);
    const [organization = ''] = await organizationsOf(frozen, client);
    frozen.signal('SIGSTOP');
    const answers: Promise<AdmissionDecision>[] = [];
    const load = setInterval(() => answers.push(client.admit(admission(organization))), 10);
    await waitUntil(() => answers.length >= 60, { what: 'a steady load' });
    clearInterval(load);
    const decisions = await Promise.all(answers);
    const undecided = decisions.filter(({ outcome }) => outcome === 'unavailable');
    expect(undecided.length).toBeGreaterThan(0);
    expect(undecided.length).toBeLessThan(5);
  });

  it('uses another replica while one has lost its store, and then returns', async () => {
    await using failing = await startReplica();
    await using other = await startReplica();
    await using client = await connected([failing, other]);
    const [organization = ''] = await organizationsOf(failing, client);
    failing.changeStore();
    const undecided: AdmissionDecision[] = [];
    let decision = await client.admit(admission(organization));
    while (decision.outcome === 'unavailable') {
      undecided.push(decision);
      decision = await client.admit(admission(organization));
    }
    expect(decision).toMatchObject({ outcome: 'admitted', decidedAtMs: other.id });
    // More than five only if this machine was stalled for a second.
    expect(undecided.length).toBeGreaterThanOrEqual(5);
    failing.changeStore();
    await waitUntil(
      async () => {
        const back = await client.admit(admission(organization));
        return back.outcome === 'admitted' && back.decidedAtMs === failing.id;
      },
      { what: 'the replica to be asked again' },
    );
  });

  it('stays with a replica that cannot decide for one organization alone', async () => {
    await using first = await startReplica();
    await using second = await startReplica();
    await using client = await connected([first, second]);
    const names = await organizationsOf(first, client);
    // Decisions and undecided admissions alternate.
    for (let round = 0; round < 8; round += 1) {
      first.changeStore();
      await client.admit(admission(names[0] ?? ''));
      first.changeStore();
      expect(await client.admit(admission(names[1] ?? ''))).toMatchObject({
        outcome: 'admitted',
        decidedAtMs: first.id,
      });
    }
  });

  it('still asks a replica when none decides', async () => {
    await using first = await startReplica();
    await using second = await startReplica();
    await using client = await connected([first, second]);
    const [organization = ''] = await organizationsOf(first, client);
    for (const replica of [first, second]) replica.changeStore();
    for (let asked = 0; asked < 12; asked += 1) {
      expect(await client.admit(admission(organization))).toStrictEqual({ outcome: 'unavailable' });
    }
    for (const replica of [first, second]) replica.changeStore();
    expect(await client.admit(admission(organization))).toMatchObject({ outcome: 'admitted' });
  });

  it('loses nothing while one of two replicas stops', async () => {
    await using stopping = await startReplicaProcess();
    await using staying = await startReplica();
    await using client = await connected([stopping, staying]);
    const names = await organizationsOf(stopping, client);
    const outcomes = new Set<string>();
    let sent = 0;
    const over = new AbortController();
    const load = (async () => {
      while (!over.signal.aborted) {
        const decisions = await Promise.all(names.map((name) => client.admit(admission(name))));
        sent += decisions.length;
        for (const { outcome } of decisions) outcomes.add(outcome);
      }
    })();
    await waitUntil(() => sent > 500, { what: 'some load' });
    stopping.signal('SIGTERM');
    await stopping.ended();
    const sentBefore = sent;
    await waitUntil(() => sent > sentBefore + 500, { what: 'more load' });
    over.abort();
    await load;
    expect(outcomes).toStrictEqual(new Set(['admitted']));
  });

  it('logs once that the address is not of a quota replica', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const reading = createLogger({ service: 'test', level: 'warn', destination });
    const handlers = { resolveCredential: async () => ({}), listModels: async () => ({}) };
    await using catalog = await serveCatalog({ host: '127.0.0.1', port: 0, handlers, logger });
    await using client = connectQuota({ addresses: [catalog.address], logger: reading });
    await waitUntil(() => lines.length > 0, { what: 'a line in the log' });
    expect(await client.admit(admission('a'))).toStrictEqual({ outcome: 'unavailable' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('quota refused the stream');
  });

  it('answers unavailable at once if the answers are invalid, and logs that once', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const reading = createLogger({ service: 'test', level: 'warn', destination });
    let streams = 0;
    await using strange = await startRpcServer({
      host: '127.0.0.1',
      port: 0,
      services: [
        {
          name: QUOTA_SERVICE_NAME,
          definition: {
            Admit: {
              ...QUOTA_SERVICE.Admit,
              responseSerialize: () => Buffer.from([0x0a, 0x7f, 0x00]),
            },
          },
          implementation: {
            Admit: (call: AnsweredCall) => {
              streams += 1;
              call.sendMetadata(new Metadata());
              call.on('data', () => call.write({ decisions: [], draining: false }));
              call.on('error', () => call.end());
            },
          },
        },
      ],
    });
    await using client = connectQuota({
      addresses: [strange.address],
      logger: reading,
      deadlineMs: 60_000,
    });
    for (const expected of [1, 2]) {
      await waitUntil(
        () => streams === expected && client.state().replicas[strange.address] === 'up',
        {
          what: 'a stream that is open',
        },
      );
      expect(await client.admit(admission('a'))).toStrictEqual({ outcome: 'unavailable' });
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('quota broke off the stream');
  });

  it('answers unavailable above its limit of admissions in flight', async () => {
    await using replica = await startReplica();
    await using client = connectQuota({ addresses: [replica.address], logger, maxInFlight: 10 });
    await client.ready();
    const decisions = await Promise.all(
      Array.from({ length: 12 }, () => client.admit(admission('a'))),
    );
    const unavailable = decisions.filter(({ outcome }) => outcome === 'unavailable');
    expect(unavailable).toHaveLength(2);
  });

  it('does not send admissions of the turn in which it is closed', async () => {
    await using replica = await startReplica();
    await using other = await connected([replica]);
    const client = await connected([replica]);
    const asked = client.admit(admission('a'));
    await client[Symbol.asyncDispose]();
    expect(await asked).toStrictEqual({ outcome: 'unavailable' });
    await other.admit(admission('b'));
    expect(replica.received).toEqual(['b']);
  });

  it('answers unavailable at once while no replica is reachable, and after it was closed', async () => {
    const client = connectQuota({ addresses: ['127.0.0.1:1'], logger });
    expect(await client.admit(admission('a'))).toStrictEqual({ outcome: 'unavailable' });
    const contact = client.ready();
    await client[Symbol.asyncDispose]();
    await expect(contact).rejects.toMatchObject({ code: 'cancelled' });
    expect(await client.admit(admission('a'))).toStrictEqual({ outcome: 'unavailable' });
  });
});
