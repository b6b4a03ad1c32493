import { FrameKind, frame, readFrames } from '@sluice/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Outbox } from './outbox.ts';

interface Published {
  readonly subject: string;
  readonly frames: [kind: number, number: number, body: string][];
}

function collect(maxPayload = 1_000) {
  const published: Published[] = [];
  let failure: Error | undefined;
  const outbox = new Outbox({
    maxPayload,
    publish: (subject, payload) => {
      if (failure !== undefined) throw failure;
      const frames: Published['frames'] = [];
      readFrames(payload, (kind, number, body) =>
        frames.push([kind, number, Buffer.from(body).toString()]),
      );
      published.push({ subject, frames });
    },
  });
  return { outbox, published, failWith: (error: Error) => (failure = error) };
}

const delta = (text: string) => frame(FrameKind.delta, Buffer.from(text));
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

afterEach(() => {
  vi.useRealTimers();
});

describe('the outbox', () => {
  const options = { clock: () => 0, onBroken: () => undefined };

  it('sends the frames of a turn as one message for each attempt, with consecutive numbers', async () => {
    const { outbox, published } = collect();
    const one = outbox.open('d.one', options);
    const other = outbox.open('d.other', options);
    one.send(delta('a'), delta('b'));
    other.send(delta('x'));
    one.send(delta('c'));
    expect(published).toEqual([]);
    await turn();
    one.send(delta('d'));
    await turn();
    expect(published).toEqual([
      {
        subject: 'd.one',
        frames: [
          [4, 0, 'a'],
          [4, 1, 'b'],
          [4, 2, 'c'],
        ],
      },
      { subject: 'd.other', frames: [[4, 0, 'x']] },
      { subject: 'd.one', frames: [[4, 3, 'd']] },
    ]);
  });

  it.each([
    { sizes: [11, 11, 11], messages: [[0, 1], [2]] },
    { sizes: [11, 12], messages: [[0], [1]] },
    { sizes: [40, 1, 1], messages: [[0], [1, 2]] },
  ])('splits a message only if it exceeds the limit of the bus: $sizes', async (given) => {
    const { outbox, published } = collect(40);
    const channel = outbox.open('d', options);
    channel.send(...given.sizes.map((size) => delta('x'.repeat(size))));
    await turn();
    expect(published.map(({ frames }) => frames.map(([, number]) => number))).toEqual(
      given.messages,
    );
  });

  it('drops pending frames when the channel is closed', async () => {
    const { outbox, published } = collect();
    const channel = outbox.open('d', options);
    channel.send(delta('a'));
    channel.close();
    channel.send(delta('b'));
    await turn();
    expect(published).toEqual([]);
  });

  it('calls onBroken once and sends no more after the bus has failed', async () => {
    const { outbox, published, failWith } = collect();
    const broken: unknown[] = [];
    const channel = outbox.open('d', { clock: () => 0, onBroken: (error) => broken.push(error) });
    const healthy = outbox.open('e', options);
    const error = new Error('no connection');
    failWith(error);
    channel.send(delta('a'));
    await turn();
    channel.send(delta('b'));
    healthy.send(delta('c'));
    await turn();
    expect(broken).toEqual([error]);
    expect(published).toEqual([]);
  });

  it('sends a deferred frame with the next frames or after a delay, and makes it only then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { outbox, published } = collect();
    const talkative = outbox.open('d.talkative', options);
    const silent = outbox.open('d.silent', options);
    talkative.sendDeferred(() => delta('a'));
    let load = 'older';
    silent.sendDeferred(() => delta(load));
    load = 'newer';
    await turn();
    expect(published).toEqual([]);
    talkative.send(delta('b'));
    await turn();
    const together = [
      [4, 0, 'a'],
      [4, 1, 'b'],
    ];
    expect(published).toEqual([{ subject: 'd.talkative', frames: together }]);
    vi.runAllTimers();
    expect(published[1]).toEqual({ subject: 'd.silent', frames: [[4, 0, 'newer']] });
    silent.sendDeferred(() => delta('again'));
    vi.runAllTimers();
    expect(published.slice(2)).toEqual([{ subject: 'd.silent', frames: [[4, 1, 'again']] }]);
  });

  describe('of a busy worker', () => {
    /** Uses up the rate limit. */
    async function keepBusy(outbox: Outbox) {
      const channel = outbox.open('d.busy', options);
      // The first delta of a channel does not count towards the limit.
      for (let count = 0; count < 1 + 16; count += 1) {
        channel.send(delta('x'));
        await turn();
      }
      return channel;
    }

    it('sends later deltas after a delay, or when it is flushed', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const { outbox, published } = collect();
      const texts = () => published.flatMap(({ frames }) => frames.map(([, , body]) => body));
      const channel = await keepBusy(outbox);
      expect(published).toHaveLength(17);
      channel.send(delta('a'));
      await turn();
      expect(texts().at(-1)).toBe('x');
      channel.send(delta('b'));
      vi.advanceTimersByTime(5);
      expect(published.at(-1)?.frames).toEqual([
        [4, 17, 'a'],
        [4, 18, 'b'],
      ]);
      channel.send(delta('y'));
      await turn();
      channel.send(delta('last'));
      expect(texts().at(-1)).toBe('b');
      outbox.flush();
      expect(texts().slice(-2)).toEqual(['y', 'last']);
      vi.runAllTimers();
      expect(texts().filter((text) => text === 'last')).toHaveLength(1);
    });

    it('sends the first delta of an answer at once, together with delayed frames', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const { outbox, published } = collect();
      const busy = await keepBusy(outbox);
      busy.send(delta('waits'));
      const begins = outbox.open('d.begins', options);
      begins.send(frame(FrameKind.started));
      await turn();
      expect(published.slice(17)).toEqual([
        { subject: 'd.busy', frames: [[4, 17, 'waits']] },
        { subject: 'd.begins', frames: [[3, 0, '']] },
      ]);
      begins.send(delta('first'));
      await turn();
      expect(published.at(-1)).toEqual({ subject: 'd.begins', frames: [[4, 1, 'first']] });
      begins.send(delta('second'));
      await turn();
      expect(published).toHaveLength(20);
      vi.runAllTimers();
      expect(published.at(-1)).toEqual({ subject: 'd.begins', frames: [[4, 2, 'second']] });
    });
  });

  it('knows when a channel last had frames to send', () => {
    let now = 5;
    const { outbox } = collect();
    const channel = outbox.open('d', { clock: () => now, onBroken: () => undefined });
    expect(channel.lastSentAt).toBe(5);
    now = 9;
    channel.send(delta('a'));
    expect(channel.lastSentAt).toBe(9);
    now = 12;
    channel.sendDeferred(() => delta('b'));
    expect(channel.lastSentAt).toBe(12);
  });
});
