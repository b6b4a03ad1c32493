import { createLogger } from '@sluice/telemetry';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import { Slots } from '../domain/slots.ts';
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

/** Answers what was asked until now. How many questions that were. */
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
  it('begins with a broken connection, and is over when the runtime answers', async () => {
    await startUp();
    supervisor.report(BROKEN);
    expect(slots.hold).toBe(true);
    await answer(true);
    expect([slots.hold, changes]).toEqual([false, 2]);
  });

  it.each([
    ['of an answer with a status', 'upstream_unavailable', { retryable: true, status: 500 }],
    ['of a model that is missing', 'upstream_model_missing', { retryable: true, status: 404 }],
    ['of another reason', 'invalid_output', { retryable: false }],
  ] as const)('does not begin with a failure %s', async (_, reason, details) => {
    await startUp();
    supervisor.report(new AttemptFailure(reason, details));
    expect(slots.hold).toBe(false);
    // An answer that is wrong is looked at, one that was understood is not.
    expect(await answer(true)).toBe('status' in details ? 1 : 0);
  });

  it('is not over by an answer to what was asked before the last connection broke', async () => {
    await startUp();
    for (let breaks = 0; breaks < 2; breaks += 1) supervisor.report(BROKEN);
    expect(await answer(true)).toBe(1);
    expect([slots.hold, questions.length, changes]).toEqual([true, 1, 1]);
    await answer(true);
    expect([slots.hold, changes]).toEqual([false, 2]);
  });

  it('lasts while the runtime is silent, which is asked again until it answers', async () => {
    await startUp();
    supervisor.report(BROKEN);
    await answer(false);
    expect([slots.hold, changes]).toEqual([true, 1]);
    // Silence is a reason to probe at once, beside the question.
    expect(questions).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(250);
    expect(questions).toHaveLength(2);
    await answer(true);
    expect([slots.hold, changes]).toEqual([false, 2]);
  });

  it('is over when the runtime is known to be down', async () => {
    await startUp();
    supervisor.report(BROKEN);
    await answer(false);
    // The second probe that fails.
    await answer(false);
    await vi.advanceTimersByTimeAsync(250);
    await answer(false);
    expect([supervisor.up, slots.hold, changes]).toEqual([false, false, 3]);
  });

  it('leads to no more questions once the supervisor is disposed of', async () => {
    await startUp();
    supervisor.report(BROKEN);
    supervisor[Symbol.dispose]();
    await answer(true);
    supervisor.report(BROKEN);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([questions.length, changes]).toEqual([0, 1]);
  });
});
