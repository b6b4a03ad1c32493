import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Breaker, type BreakerState } from './breaker.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openBreaker({ answers }: { answers: () => boolean }) {
  const probes: number[] = [];
  const changes: BreakerState[] = [];
  const breaker = new Breaker({
    failuresToOpen: 5,
    probeIntervalMs: 250,
    probe: async () => {
      probes.push(Date.now());
      if (!answers()) throw new Error('no answer');
    },
    onChange: (state) => changes.push(state),
  });
  return { breaker, probes, changes };
}

async function closedBreaker() {
  let alive = true;
  const opened = openBreaker({ answers: () => alive });
  opened.breaker.probe();
  await vi.advanceTimersByTimeAsync(0);
  opened.changes.length = 0;
  opened.probes.length = 0;
  return { ...opened, setAlive: (value: boolean) => void (alive = value) };
}

describe('a breaker', () => {
  it('is open until the store has answered once', async () => {
    const { breaker, probes } = openBreaker({ answers: () => true });
    expect(breaker.state).toBe('open');
    breaker.probe();
    await vi.advanceTimersByTimeAsync(0);
    expect(breaker.state).toBe('closed');
    breaker.probe();
    expect(probes).toHaveLength(1);
    breaker[Symbol.dispose]();
  });

  it('probes from the start, until it is disposed', async () => {
    const { breaker, probes } = openBreaker({ answers: () => false });
    await vi.advanceTimersByTimeAsync(500);
    expect(probes).toHaveLength(2);
    breaker[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(500);
    expect(probes).toHaveLength(2);
  });

  it('opens after five consecutive failures, and not if there was a success between them', async () => {
    const { breaker, changes, setAlive } = await closedBreaker();
    setAlive(false);
    for (let failure = 0; failure < 4; failure += 1) breaker.failed();
    breaker.succeeded();
    for (let failure = 0; failure < 4; failure += 1) breaker.failed();
    expect(breaker.state).toBe('closed');
    breaker.failed();
    expect(breaker.state).toBe('open');
    expect(changes).toStrictEqual(['open']);
    breaker[Symbol.dispose]();
  });

  it('probes every 250 ms while it is open, and closes at the first answer', async () => {
    const { breaker, probes, changes, setAlive } = await closedBreaker();
    setAlive(false);
    for (let failure = 0; failure < 5; failure += 1) breaker.failed();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(probes).toHaveLength(4);
    setAlive(true);
    await vi.advanceTimersByTimeAsync(250);
    expect(breaker.state).toBe('closed');
    expect(changes).toStrictEqual(['open', 'closed']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(probes).toHaveLength(5);
    breaker[Symbol.dispose]();
  });

  it('forgets earlier failures when it closes', async () => {
    const { breaker } = await closedBreaker();
    for (let failure = 0; failure < 5; failure += 1) breaker.failed();
    await vi.advanceTimersByTimeAsync(250);
    breaker.failed();
    expect(breaker.state).toBe('closed');
    breaker[Symbol.dispose]();
  });

  it('runs one probe at a time, however often it is asked to', async () => {
    const { breaker, probes } = openBreaker({ answers: () => false });
    breaker.probe();
    breaker.probe();
    expect(probes).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(0);
    breaker.probe();
    expect(probes).toHaveLength(2);
    breaker[Symbol.dispose]();
  });

  it('opens once, however many calls in flight fail after that', async () => {
    const { breaker, probes, changes, setAlive } = await closedBreaker();
    for (let failure = 0; failure < 8; failure += 1) breaker.failed();
    expect(changes).toStrictEqual(['open']);
    setAlive(false);
    await vi.advanceTimersByTimeAsync(250);
    expect(probes).toHaveLength(1);
    setAlive(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(probes).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
    breaker[Symbol.dispose]();
  });

  it('can start closed, and then does not probe', async () => {
    const probe = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const breaker = new Breaker({
      state: 'closed',
      failuresToOpen: 2,
      probeIntervalMs: 250,
      probe,
      onChange: () => undefined,
    });
    expect(breaker.state).toBe('closed');
    await vi.advanceTimersByTimeAsync(500);
    expect(probe).not.toHaveBeenCalled();
    breaker[Symbol.dispose]();
  });

  it('reports nothing after it is disposed, even if a probe is in flight', async () => {
    const { breaker, changes, setAlive } = await closedBreaker();
    setAlive(false);
    for (let failure = 0; failure < 5; failure += 1) breaker.failed();
    setAlive(true);
    breaker.probe();
    breaker[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(0);
    expect(changes).toStrictEqual(['open']);
    const other = await closedBreaker();
    other.breaker[Symbol.dispose]();
    for (let failure = 0; failure < 5; failure += 1) other.breaker.failed();
    expect(vi.getTimerCount()).toBe(0);
  });
});
