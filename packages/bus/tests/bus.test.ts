import { waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  BusDisconnectedError,
  BusNoRespondersError,
  BusPayloadTooLargeError,
  BusTimeoutError,
  connectBus,
  hasSubscriber,
  type Bus,
} from '../src/index.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { NatsProcess } from './nats-process.ts';

const logger = createLogger({ service: 'bus-test', level: 'silent' });
const bytes = (text: string) => Buffer.from(text);
const text = (data: Uint8Array) => Buffer.from(data).toString('utf8');

let nats: NatsProcess;
const connectTo = (server: NatsProcess, name: string) =>
  connectBus({ servers: [server.address], name, logger });

beforeAll(async () => {
  nats = await NatsProcess.start();
});
afterAll(async () => {
  await nats[Symbol.asyncDispose]();
});

describe('messages', () => {
  it('arrive with their headers by lower-case name and can be answered', async () => {
    await using asker = await connectTo(nats, 'asker');
    await using answerer = await connectTo(nats, 'answerer');
    answerer.subscribe('questions', (message) => {
      expect(message.headers).toEqual({ traceparent: '00-a-b-01' });
      message.respond(Buffer.concat([bytes('re: '), message.data]));
    });
    await answerer.flush();
    const answered = Promise.withResolvers<string>();
    asker.subscribe('answers', ({ data }) => answered.resolve(text(data)));
    asker.publish('questions', bytes('why'), {
      reply: 'answers',
      headers: { TraceParent: '00-a-b-01' },
    });
    expect(await answered.promise).toBe('re: why');
  });

  it('are read as JSON, or as undefined if they are not JSON', async () => {
    await using asker = await connectTo(nats, 'asker');
    await using answerer = await connectTo(nats, 'answerer');
    answerer.subscribe('documents', (message) => message.respond(message.data));
    await answerer.flush();
    const read = async (payload: string) =>
      (await asker.request('documents', bytes(payload), { timeoutMs: 1_000 })).json;
    expect(await read('{"text":"déjà vu"}')).toEqual({ text: 'déjà vu' });
    expect(await read('{"text"')).toBeUndefined();
    expect(await read('')).toBeUndefined();
  });

  it('of a connection are not delivered to itself', async () => {
    await using one = await connectTo(nats, 'one');
    await using other = await connectTo(nats, 'other');
    const heard: string[] = [];
    one.subscribe('echo', () => heard.push('one'));
    other.subscribe('echo', () => heard.push('other'));
    await Promise.all([one.flush(), other.flush()]);
    one.publish('echo', bytes('x'));
    await waitUntil(() => heard.length > 0, { what: 'the other to hear it' });
    await one.flush();
    expect(heard).toEqual(['other']);
  });

  it('without a subscriber come back to the reply subject as a notice', async () => {
    await using bus = await connectTo(nats, 'lonely');
    const notices: boolean[] = [];
    bus.subscribe('answers.here', (message) => notices.push(message.noResponders));
    bus.publish('nobody.home', bytes('x'), { reply: 'answers.here' });
    await waitUntil(() => notices.length > 0, { what: 'the notice' });
    expect(notices).toEqual([true]);
  });

  it('keep coming after a handler threw', async () => {
    await using sender = await connectTo(nats, 'sender');
    await using receiver = await connectTo(nats, 'receiver');
    const seen: string[] = [];
    receiver.subscribe('work', (message) => {
      seen.push(text(message.data));
      throw new Error('broken handler');
    });
    await receiver.flush();
    sender.publish('work', bytes('1'));
    sender.publish('work', bytes('2'));
    await waitUntil(() => seen.length === 2, { what: 'both messages' });
    expect(receiver.connected).toBe(true);
  });

  it('stop after unsubscribing', async () => {
    await using sender = await connectTo(nats, 'sender');
    await using receiver = await connectTo(nats, 'receiver');
    const seen: string[] = [];
    const first = receiver.subscribe('news', () => seen.push('first'));
    receiver.subscribe('news', () => seen.push('second'));
    first.unsubscribe();
    await receiver.flush();
    sender.publish('news', bytes('x'));
    await waitUntil(() => seen.length > 0, { what: 'the other subscription' });
    expect(seen).toEqual(['second']);
  });

  it('larger than the server accepts are refused before they are sent', async () => {
    await using bus = await connectTo(nats, 'large');
    expect(() => bus.publish('large', Buffer.alloc(bus.maxPayload + 1))).toThrow(
      BusPayloadTooLargeError,
    );
    await expect(
      bus.request('large', Buffer.alloc(bus.maxPayload + 1), { timeoutMs: 1_000 }),
    ).rejects.toThrow(BusPayloadTooLargeError);
    bus.publish('large', Buffer.alloc(bus.maxPayload));
    await bus.flush();
    expect(bus.connected).toBe(true);
  });
});

describe('a request', () => {
  it('fails at once without a subscriber', async () => {
    await using bus = await connectTo(nats, 'asker');
    await expect(bus.request('nobody', bytes('x'), { timeoutMs: 5_000 })).rejects.toThrow(
      BusNoRespondersError,
    );
  });

  it('finds a subscriber whether or not it answers', async () => {
    await using bus = await connectTo(nats, 'asker');
    await using other = await connectTo(nats, 'other');
    other.subscribe('answered', (message) => message.respond(bytes('here')));
    other.subscribe('unanswered', () => undefined);
    await other.flush();
    const heard = ['answered', 'unanswered', 'nobody'].map((to) =>
      hasSubscriber(bus, to, bytes('?')),
    );
    expect(await Promise.all(heard)).toEqual([true, true, false]);
  });

  it('fails after its timeout when no subscriber answers', async () => {
    await using bus = await connectTo(nats, 'asker');
    await using mute = await connectTo(nats, 'mute');
    mute.subscribe('mute', () => undefined);
    await mute.flush();
    await expect(bus.request('mute', bytes('x'), { timeoutMs: 50 })).rejects.toThrow(
      BusTimeoutError,
    );
  });
});

describe('a lost server', () => {
  const losses: { connected: boolean }[] = [];
  const follow = (bus: Bus) => {
    losses.length = 0;
    bus.onDisconnect(() => losses.push({ connected: bus.connected }));
    const returns: boolean[] = [];
    bus.onReconnect(() => returns.push(bus.connected));
    return returns;
  };

  it('is noticed, makes publishing fail, and is used again once it is back', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own, 'survivor');
    await using sender = await connectTo(own, 'sender');
    const returns = follow(bus);
    const heard: string[] = [];
    bus.subscribe('after', (message) => heard.push(text(message.data)));

    await own.kill();
    await waitUntil(() => losses.length === 1, { what: 'the loss' });
    expect(losses).toEqual([{ connected: false }]);
    expect(() => bus.publish('x', bytes('x'))).toThrow(BusDisconnectedError);
    await expect(bus.request('x', bytes('x'), { timeoutMs: 100 })).rejects.toThrow(
      BusDisconnectedError,
    );
    await expect(bus.flush()).rejects.toThrow(BusDisconnectedError);

    await own.start();
    await waitUntil(() => returns.length === 1 && sender.connected, { what: 'the way back' });
    await bus.flush();
    sender.publish('after', bytes('hello again'));
    await waitUntil(() => heard.length === 1, { what: 'the old subscription to work' });
    expect(heard).toEqual(['hello again']);
  });

  it('that is frozen is noticed by its silence', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own, 'survivor');
    const returns = follow(bus);
    const frozenAt = performance.now();
    own.freeze();
    try {
      await waitUntil(() => losses.length === 1, { what: 'the loss', timeoutMs: 9_000 });
      expect(performance.now() - frozenAt).toBeLessThan(8_000);
    } finally {
      own.thaw();
    }
    await waitUntil(() => returns.length === 1, { what: 'the way back' });
    await bus.flush();
  });

  it('that is frozen is detected by a client with much unsent data too', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own, 'survivor');
    const returns = follow(bus);
    own.freeze();
    try {
      const piece = new Uint8Array(bus.maxPayload);
      for (let sent = 0; sent < 32; sent += 1) bus.publish('much', piece);
      await waitUntil(() => losses.length === 1, { what: 'the loss', timeoutMs: 9_000 });
      expect(() => bus.publish('much', piece)).toThrow(BusDisconnectedError);
    } finally {
      own.thaw();
    }
    await waitUntil(() => returns.length === 1, { what: 'the way back' });
    await bus.flush();
  });

  it('is not tried first if there is another server, because it may be frozen', async () => {
    await using one = await startCountingProxy(nats.port);
    await using other = await startCountingProxy(nats.port);
    const servers = [one, other].map(({ port }) => `127.0.0.1:${port}`);
    await using bus = await connectBus({ servers, name: 'survivor', logger });
    const returns = follow(bus);
    // Long after the connection was made. Otherwise the pause before a second attempt at one server would lead to the
    // other.
    const later = performance.now() + 60_000;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    try {
      for (const proxy of [one, other]) proxy.cut();
      await waitUntil(() => losses.length === 1, { what: 'the loss' });
    } finally {
      vi.restoreAllMocks();
    }
    await waitUntil(() => returns.length === 1, { what: 'the way back' });
    expect([one.connections, other.connections]).toEqual([1, 1]);
  });

  it('is reconnected after a clock was set back, without waiting for the old time', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own, 'survivor');
    const returns = follow(bus);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    try {
      await own.kill();
      await waitUntil(() => losses.length === 1, { what: 'the loss' });
      await own.start();
      await waitUntil(() => returns.length === 1, { what: 'the way back' });
      expect(bus.connected).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not delay the end of the process', async () => {
    await using own = await NatsProcess.start();
    const bus = await connectTo(own, 'leaver');
    own.freeze();
    try {
      const startedAt = performance.now();
      await bus[Symbol.asyncDispose]();
      expect(performance.now() - startedAt).toBeLessThan(3_000);
      expect(() => bus.publish('x', bytes('x'))).toThrow(BusDisconnectedError);
    } finally {
      own.thaw();
    }
  });

  it('may be absent at first: connecting waits until it is there or the wait is aborted', async () => {
    await using own = await NatsProcess.start();
    await own.kill();
    const stop = new AbortController();
    const abandoned = connectBus({
      servers: [own.address],
      name: 'abandoned',
      logger,
      signal: stop.signal,
    });
    const waiting = connectTo(own, 'patient');
    stop.abort();
    await expect(abandoned).rejects.toThrow('aborted');
    await own.start();
    await using bus = await waiting;
    expect(bus.connected).toBe(true);
  });
});
