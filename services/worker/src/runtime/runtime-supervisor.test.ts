import { createLogger } from '@sluice/service';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { Slots } from '../schedule/slots.ts';
import { RuntimeSupervisor } from './runtime-supervisor.ts';

const BROKEN = AttemptFailure.unavailable();
const MODELS = { data: [{ id: 'm' }] };

let questions: PromiseWithResolvers<unknown>[];
let slots: Slots;
let changes: number;
let supervisor: RuntimeSupervisor;

beforeEach(async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  questions = [];
  changes = 0;
  const ask = () => {
    const question = Promise.withResolvers<unknown>();
    questions.push(question);
    return question.promise;
  };
  slots = new Slots({ shared: false, canWait: true });
  supervisor = new RuntimeSupervisor({
    client: { ask, read: () => Promise.reject(AttemptFailure.unavailable()) },
    kind: 'openai',
    slots,
    logger: createLogger({ service: 'supervisor-test', level: 'silent' }),
  });
});

afterEach(() => supervisor[Symbol.dispose]());

/** Answers all open questions, and returns how many there were. */
async function answer(answers: boolean): Promise<number> {
  const asked = questions.splice(0);
  for (const question of asked) {
    if (answers) question.resolve(MODELS);
    else question.reject(AttemptFailure.unavailable());
  }
  await vi.advanceTimersByTimeAsync(0);
  return asked.length;
}

async function startUp(): Promise<void> {
  supervisor.start(() => void (changes += 1));
  await answer(true);
  expect([supervisor.up, changes]).toEqual([true, 1]);
}

it('asks nothing before it is started', async () => {
  expect(questions).toHaveLength(0);
  await startUp();
});

describe('a hold on the slots', () => {
  it('begins with a broken connection, and ends when the runtime answers', async () => {
    await startUp();
    supervisor.report(BROKEN);
    expect(slots.hold).toBe(true);
    await answer(true);
    expect([slots.hold, changes]).toEqual([false, 2]);
  });

  it.each([
    ['with an HTTP status', 'upstream_unavailable', { retryable: true, status: 500 }],
    ['for a missing model', 'upstream_model_missing', { retryable: true, status: 404 }],
    ['for another reason', 'invalid_output', { retryable: false }],
  ] as const)('does not begin with a failure %s', async (_, reason, details) => {
    await startUp();
    supervisor.report(new AttemptFailure(reason, details));
    expect(slots.hold).toBe(false);
    // Failures with a status lead to a probe.
    expect(await answer(true)).toBe('status' in details ? 1 : 0);
  });

  it('does not end with an answer to a question from before the last broken connection', async () => {
    await startUp();
    for (let breaks = 0; breaks < 2; breaks += 1) supervisor.report(BROKEN);
    expect(await answer(true)).toBe(1);
    expect([slots.hold, questions.length, changes]).toEqual([true, 1, 1]);
    await answer(true);
    expect([slots.hold, changes]).toEqual([false, 2]);
  });

  it('lasts until the runtime answers, and asks it repeatedly', async () => {
    await startUp();
    supervisor.report(BROKEN);
    await answer(false);
    expect([slots.hold, changes]).toEqual([true, 1]);
    // The failed question led to a probe at once.
    expect(questions).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(250);
    expect(questions).toHaveLength(2);
    await answer(true);
    expect([slots.hold, changes]).toEqual([false, 2]);
  });

  it('ends when the runtime is known to be down', async () => {
    await startUp();
    supervisor.report(BROKEN);
    await answer(false);
    // The second failed probe.
    await answer(false);
    await vi.advanceTimersByTimeAsync(250);
    await answer(false);
    expect([supervisor.up, slots.hold, changes]).toEqual([false, false, 3]);
  });

  it('asks no more questions after the supervisor was disposed', async () => {
    await startUp();
    supervisor.report(BROKEN);
    supervisor[Symbol.dispose]();
    await answer(true);
    supervisor.report(BROKEN);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([questions.length, changes]).toEqual([0, 1]);
  });
});
