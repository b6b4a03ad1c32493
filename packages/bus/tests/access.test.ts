import { mkdtemp, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BusRefusedError, KeyValueRefusedError, connectBus } from '../src/index.ts';
import { LOGIN, useConnecting } from './connecting-fixture.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { NatsProcess } from './nats-process.ts';

useLeakCheck();
const { written, logger, connect, expectAccepted, expectRefused } = useConnecting();
const REFUSAL = 'the bus refuses this user';
const messages = () => written.map((line) => (JSON.parse(line) as { msg: string }).msg);
const refusals = () => written.filter((line) => line.includes(REFUSAL));

describe('a bus with a user and a password', () => {
  const password = 'p@ss%/,:1';
  const encoded = encodeURIComponent(password);
  let nats: NatsProcess;
  beforeAll(async () => {
    nats = await NatsProcess.guarded('--user', 'me', '--pass', password);
  });
  afterAll(async () => {
    await nats[Symbol.asyncDispose]();
  });

  it('accepts the user information of its address, be it an IP address or a name', async () => {
    await expectAccepted({ NATS_URL: `nats://me:${encoded}@127.0.0.1:${nats.port}` });
    await expectAccepted({ NATS_URL: `nats://me:${encoded}@localhost:${nats.port}` });
  });

  it('refuses a wrong password, which is logged once without the password and retried', async () => {
    await using own = await NatsProcess.guarded('--user', 'me', '--pass', 'other');
    await using proxy = await startCountingProxy(own.port);
    const connecting = connect({ NATS_URL: `nats://me:secret@127.0.0.1:${proxy.port}` });
    await waitUntil(() => proxy.connections >= 3, { what: 'three attempts' });
    await own.restart('--user', 'me', '--pass', 'secret');
    await using bus = await connecting;
    expect(bus.connected).toBe(true);
    expect(refusals()).toHaveLength(1);
    expect(written.join('')).not.toContain('secret');
  });

  it('that changes the password is logged once until the password is changed back', async () => {
    await using own = await NatsProcess.guarded('--user', 'me', '--pass', 'secret');
    await using proxy = await startCountingProxy(own.port);
    await using bus = await connect({ NATS_URL: `nats://me:secret@127.0.0.1:${proxy.port}` });
    let returns = 0;
    bus.onReconnect(() => (returns += 1));
    await own.restart('--user', 'me', '--pass', 'other');
    await waitUntil(() => refusals().length > 0, { what: 'the warning' });
    const before = proxy.connections;
    await waitUntil(() => proxy.connections >= before + 3, { what: 'three more attempts' });
    await own.restart('--user', 'me', '--pass', 'secret');
    await waitUntil(() => bus.connected, { what: 'the way back' });
    await bus.flush();
    expect(returns).toBe(1);
    expect(refusals()).toHaveLength(1);
    expect(written.join('')).not.toContain('secret');
  });

  it('rejects with the refusal when the attempt is aborted', async () => {
    const stop = new AbortController();
    const attempt = connectBus({
      servers: [`nats://me:wrong@127.0.0.1:${nats.port}`],
      name: 'test',
      logger,
      signal: stop.signal,
    });
    await waitUntil(() => refusals().length > 0, { what: 'the warning' });
    stop.abort();
    await expect(attempt).rejects.toThrow(BusRefusedError);
  });
});

describe('a bus with a user that may not do everything', () => {
  const may = (permissions: string) => `{
    authorization {
      users: [
        { user: me, password: secret, permissions: { ${permissions} } }
        { user: other, password: secret }
      ]
    }
  }`;
  const everything = 'publish: ">", subscribe: ">"';
  let folder: string;
  let settings: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-permissions-'));
    settings = join(folder, 'nats.conf');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  const start = async (permissions: string) => {
    await writeFile(settings, may(permissions));
    return NatsProcess.guarded('-c', settings);
  };
  const forbidden = () =>
    written
      .map((line) => JSON.parse(line) as { msg: string; operation?: string; subject?: string })
      .filter(({ msg }) => msg === 'the bus does not permit this user to do this')
      .map(({ operation, subject }) => `${operation} ${subject}`);

  it('receives the messages of a subscription once it is permitted, without a restart', async () => {
    await using nats = await start('subscribe: { deny: "news.*" }');
    await using bus = await connect({ NATS_URL: `nats://me:secret@${nats.address}` });
    await using other = await connect({ NATS_URL: `nats://other:secret@${nats.address}` });
    let heard = 0;
    bus.subscribe('news.*', () => (heard += 1));
    await waitUntil(() => forbidden().length > 0, { what: 'the refusal' });
    expect(forbidden()).toEqual(['subscription news.*']);
    await writeFile(settings, may(everything));
    await nats.restart('-c', settings);
    const publish = () => {
      if (other.connected) other.publish('news.today', Buffer.from('x'));
      return heard;
    };
    await waitUntil(publish, { what: 'the first message' });
  });

  it('cannot write to a store that it may only read, and gets the reason', async () => {
    await using nats = await start('publish: { deny: "$KV.things.>" }');
    await using bus = await connect({ NATS_URL: `nats://me:secret@${nats.address}` });
    const store = await bus.openKeyValue({ bucket: 'things', replicas: 1 });
    const writing = store.put('one', Buffer.from('x'), { expectedLastSequence: 0 });
    await expect(writing).rejects.toThrow(new KeyValueRefusedError('not permitted'));
  });

  it('logs once which kind of message it may not send', async () => {
    await using nats = await start('publish: { deny: "frames.>" }');
    await using bus = await connect({ NATS_URL: `nats://me:secret@${nats.address}` });
    for (const subject of ['frames.one.a', 'frames.one.b', 'frames.two.a', 'words.one']) {
      bus.publish(subject, Buffer.from('x'));
    }
    await bus.flush();
    await waitUntil(() => forbidden().length >= 2, { what: 'the refusals' });
    expect(forbidden()).toEqual(['publish frames.one.a', 'publish frames.two.a']);
  });

  it('writes one ledger while it may not write another, and logs which', async () => {
    await using nats = await start('publish: { deny: ["two.>"] }');
    await using bus = await connect({ NATS_URL: `nats://me:secret@${nats.address}` });
    await using owner = await connect({ NATS_URL: `nats://other:secret@${nats.address}` });
    const bounds = { replicas: 1, maxAgeMs: 3_600_000, maxBytes: 1_000_000 };
    using _keptOne = owner.keepLedgerStream({ stream: 'one', subjects: 'one.>', ...bounds });
    using _keptTwo = owner.keepLedgerStream({ stream: 'two', subjects: 'two.>', ...bounds });
    await using one = bus.openLedger({ kind: 'one', stream: 'one' });
    await using two = bus.openLedger({ kind: 'two', stream: 'two' });
    one.append({ id: 'first', subject: 'one.acme', record: {} });
    two.append({ id: 'second', subject: 'two.acme', record: {} });
    expect(await one.settled(10_000)).toBe(true);
    await waitUntil(() => messages().includes('the ledger stalls'), { what: 'the warning' });
    expect(written.find((line) => line.includes('the ledger stalls'))).toContain('"stream":"two"');
    expect(forbidden()).toEqual(['publish two.acme']);
    expect(two.counts).toEqual({ pending: 1, stored: 0, lost: 0 });
    await writeFile(settings, may(everything));
    await nats.restart('-c', settings);
    expect(await two.settled(20_000)).toBe(true);
  });

  it('does not create the stream of a ledger without the right to do so, and logs why', async () => {
    await using nats = await start('publish: { deny: ["$JS.API.STREAM.CREATE.>"] }');
    await using bus = await connect({ NATS_URL: `nats://me:secret@${nats.address}` });
    using keeper = bus.keepLedgerStream({
      stream: 'kept',
      subjects: 'kept.>',
      replicas: 1,
      maxAgeMs: 3_600_000,
      maxBytes: 1_000_000,
    });
    await waitUntil(() => keeper.state.fault === 'not permitted', { what: 'the reason' });
    expect(keeper.state.exists).toBe(false);
    await writeFile(settings, may(everything));
    await nats.restart('-c', settings);
    await waitUntil(() => keeper.state.exists, { what: 'the stream' });
    expect(keeper.state.fault).toBeUndefined();
  });
});

it('the message of a server about its limit is logged once', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sluice-limits-'));
  const settings = join(folder.path, 'nats.conf');
  await writeFile(settings, 'max_subscriptions: 1');
  await using nats = await NatsProcess.guarded('-c', settings);
  await using bus = await connect({ NATS_URL: nats.address });
  for (const subject of ['one', 'two', 'three']) bus.subscribe(subject, () => undefined);
  await bus.flush();
  await waitUntil(() => written.length > 0, { what: 'the warning' });
  const reasons = written.map((line) => (JSON.parse(line) as { reason?: string }).reason);
  expect(reasons).toEqual(['maximum subscriptions exceeded']);
});

it('a bus that is not running yet is logged once, however many attempts it takes', async () => {
  await using nats = await NatsProcess.start();
  await nats.kill();
  await using proxy = await startCountingProxy(nats.port);
  const connecting = connect({ NATS_URL: `nats://127.0.0.1:${proxy.port}` });
  await waitUntil(() => proxy.connections >= 3, { what: 'three attempts' });
  await nats.start();
  await using bus = await connecting;
  expect(bus.connected).toBe(true);
  expect(written.filter((line) => line.includes('waiting for the bus'))).toHaveLength(1);
});

it('with one dead server and one that refuses the login, each fault is logged once', async () => {
  await using guarded = await NatsProcess.guarded('--auth', 'a token');
  await using gone = await NatsProcess.start();
  await gone.kill();
  await using refusing = await startCountingProxy(guarded.port);
  await using dead = await startCountingProxy(gone.port);
  const stop = new AbortController();
  const servers = [refusing, dead].map(({ port }) => `nats://another@127.0.0.1:${port}`);
  const attempt = connectBus({ servers, name: 'test', logger, signal: stop.signal });
  // The client tries the servers in a new random order at each attempt, and the error of the last one is reported.
  await waitUntil(() => refusing.connections >= 8, { what: 'eight attempts', timeoutMs: 30_000 });
  stop.abort();
  await expect(attempt).rejects.toBeInstanceOf(Error);
  expect(messages()).not.toHaveLength(0);
  expect(new Set(messages()).size).toBe(messages().length);
});

it('a user name without a password is sent as a token', async () => {
  await using nats = await NatsProcess.guarded('--auth', 'a token');
  await expectAccepted({ NATS_URL: `nats://a%20token@localhost:${nats.port}` });
  await expectRefused({ NATS_URL: `nats://another@localhost:${nats.port}` }, LOGIN);
});

it('a bus whose users have keys accepts a credentials file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-creds-'));
  try {
    const user = nkeys.createUser();
    const seed = Buffer.from(user.getSeed()).toString();
    const settings = join(folder, 'nats.conf');
    const credentials = join(folder, 'user.creds');
    await writeFile(settings, `authorization { users: [{ nkey: ${user.getPublicKey()} }] }\n`);
    await writeFile(
      credentials,
      [
        '-----BEGIN NATS USER JWT-----\nnone\n------END NATS USER JWT------\n',
        `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
      ].join('\n'),
    );
    await using nats = await NatsProcess.guarded('-c', settings);
    const NATS_URL = `nats://127.0.0.1:${nats.port}`;
    await expectAccepted({ NATS_URL, NATS_CREDS_FILE: credentials });
    await expectRefused({ NATS_URL }, LOGIN);
  } finally {
    await rm(folder, { recursive: true });
  }
});
