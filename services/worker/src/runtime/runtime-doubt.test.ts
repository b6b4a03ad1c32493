import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { RuntimeDoubt } from './runtime-doubt.ts';

let questions: PromiseWithResolvers<boolean>[];
let isDown: boolean;
let happened: string[];
let doubt: RuntimeDoubt;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  questions = [];
  isDown = false;
  happened = [];
  doubt = new RuntimeDoubt({
    ask: () => {
      const question = Promise.withResolvers<boolean>();
      questions.push(question);
      return question.promise;
    },
    isDown: () => isDown,
    onSilence: () => happened.push('silence'),
    onOver: () => happened.push('over'),
  });
});

afterEach(() => doubt[Symbol.dispose]());

async function answer(answers: boolean): Promise<void> {
  questions.at(-1)?.resolve(answers);
  await vi.advanceTimersByTimeAsync(0);
}

it('is over when the runtime answers', async () => {
  expect(doubt.exists).toBe(false);
  doubt.noteBrokenConnection();
  expect(doubt.exists).toBe(true);
  await answer(true);
  expect([doubt.exists, happened]).toEqual([false, ['over']]);
});

it('is not over by an answer to what was asked before the last connection broke', async () => {
  for (let breaks = 0; breaks < 2; breaks += 1) doubt.noteBrokenConnection();
  expect(questions).toHaveLength(1);
  await answer(true);
  expect([doubt.exists, questions.length, happened]).toEqual([true, 2, []]);
  await answer(true);
  expect([doubt.exists, happened]).toEqual([false, ['over']]);
});

it('asks a silent runtime again, until it answers', async () => {
  doubt.noteBrokenConnection();
  await answer(false);
  expect([doubt.exists, happened]).toEqual([true, ['silence']]);
  await vi.advanceTimersByTimeAsync(250);
  expect(questions).toHaveLength(2);
  await answer(true);
  expect([doubt.exists, happened]).toEqual([false, ['silence', 'over']]);
});

it('is over when the runtime is known to be down', async () => {
  doubt.noteBrokenConnection();
  await answer(false);
  isDown = true;
  await vi.advanceTimersByTimeAsync(250);
  expect([doubt.exists, questions.length, happened]).toEqual([false, 1, ['silence', 'over']]);
});

it('asks nothing more, and tells nobody, once it is disposed of', async () => {
  doubt.noteBrokenConnection();
  doubt[Symbol.dispose]();
  await answer(true);
  doubt.noteBrokenConnection();
  expect([questions.length, happened]).toEqual([1, []]);
});
