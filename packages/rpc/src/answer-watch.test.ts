import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AnswerWatch } from './answer-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startWatch() {
  const onSlow = vi.fn();
  const clock = () => performance.now();
  const watch = new AnswerWatch({ limitMs: 15, clock, onSlow });
  return { watch, onSlow, hear: (answers: number) => watch.received(answers, clock()) };
}

it('reports an answer that is outstanding for longer than the limit', async () => {
  const { watch, onSlow } = startWatch();
  watch.expect(1);
  await vi.advanceTimersByTimeAsync(14);
  expect(onSlow).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5);
  expect(onSlow).toHaveBeenCalledTimes(1);
});

it('reports nothing while answers keep coming, though some are always outstanding', async () => {
  const { watch, onSlow, hear } = startWatch();
  watch.expect(5);
  for (let round = 0; round < 20; round += 1) {
    await vi.advanceTimersByTimeAsync(10);
    watch.expect(1);
    hear(1);
  }
  expect(onSlow).not.toHaveBeenCalled();
});

it('counts from the sending of an admission, not from the idle time before it', async () => {
  const { watch, onSlow, hear } = startWatch();
  watch.expect(1);
  hear(1);
  await vi.advanceTimersByTimeAsync(14);
  watch.expect(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(onSlow).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(10);
  expect(onSlow).toHaveBeenCalledTimes(1);
});

it('reports nothing after it was stopped', async () => {
  const { watch, onSlow } = startWatch();
  watch.expect(1);
  watch.stop();
  await vi.advanceTimersByTimeAsync(100);
  expect(onSlow).not.toHaveBeenCalled();
});
