import { setEnvironmentData } from 'node:worker_threads';
import { createLogger } from '@sluice/service';
import { expect, onTestFinished, test } from 'vitest';
import { ThreadedExaminer } from '../src/request/examiner-pool.ts';

const SEEN = { examination: { ok: false, fault: { message: 'seen' } } };
const TOO_MUCH = {
  examination: {
    ok: false,
    fault: { code: 'invalid_value', message: expect.stringContaining('too much work') as string },
  },
};

const logger = createLogger({ service: 'test', level: 'silent' });

function setUp({ threads = 1, limitMs = 1_000 } = {}) {
  const examiner = new ThreadedExaminer({
    direct: { examine: () => Promise.reject(new Error('all of these are large')) },
    directLimitBytes: 0,
    wallClock: () => Date.now(),
    logger,
    threads,
    limitMs,
    heapMebibytes: 16,
    threadFile: new URL('./spinning-thread.ts', import.meta.url),
  });
  onTestFinished(() => examiner[Symbol.asyncDispose]());
  return (text: string, organization = 'acme', signal = new AbortController().signal) =>
    examiner.examine(Buffer.from(text), { organization, modelList: undefined, signal });
}

test('a body that takes too long is refused, and the bodies after it are examined', async () => {
  const examine = setUp();
  const endless = examine('spin');
  const next = examine('plain');
  await expect(endless).resolves.toMatchObject(TOO_MUCH);
  await expect(next).resolves.toMatchObject(SEEN);
});

test('a body that was examined in time is not refused because this process was paused', async () => {
  const limitMs = 1_000;
  const state = new Int32Array(new SharedArrayBuffer(4));
  setEnvironmentData('hold', { state, heldMs: 1.5 * limitMs });
  const examine = setUp({ limitMs });
  await examine('plain');
  const examined = examine('hold');
  // Wait until the thread has the body.
  await new Promise((resolve) => setImmediate(resolve));
  Atomics.store(state, 0, 1);
  while (Atomics.load(state, 0) !== 2);
  await expect(examined).resolves.toMatchObject(SEEN);
});

test('a body that uses up the memory is refused, and the next one is examined', async () => {
  const examine = setUp({ limitMs: 60_000 });
  await expect(examine('grow')).resolves.toMatchObject(TOO_MUCH);
  await expect(examine('plain')).resolves.toMatchObject(SEEN);
});

test('a thread that crashes fails only its own body', async () => {
  const examine = setUp();
  const broken = examine('break');
  const next = examine('plain');
  await expect(broken).rejects.toThrow('the examination thread ended');
  await expect(next).resolves.toMatchObject(SEEN);
});

test('a body that takes too long does not block the other thread', async () => {
  const examine = setUp({ threads: 2, limitMs: 60_000 });
  // This call ends with the test.
  examine('spin').catch(() => undefined);
  await expect(examine('plain')).resolves.toMatchObject(SEEN);
});

test('the body of a disconnected client is not examined', async () => {
  const examine = setUp();
  const gone = new AbortController();
  const order: string[] = [];
  const first = examine('plain').then(() => order.push('first'));
  // If it were examined, the last body would have to wait for its time limit.
  const left = examine('spin', 'acme', gone.signal).catch(() => order.push('left'));
  const last = examine('plain');
  gone.abort(new Error('the client has gone'));
  await Promise.all([first, left]);
  await expect(last).resolves.toMatchObject(SEEN);
  expect(order).toEqual(['left', 'first']);
});

test('the call of a client that disconnects during the examination ends at once', async () => {
  const examine = setUp({ limitMs: 60_000 });
  await examine('plain');
  const gone = new AbortController();
  const left = examine('spin', 'acme', gone.signal);
  gone.abort(new Error('the client has gone'));
  await expect(left).rejects.toThrow('the client has gone');
});

test('bodies are examined directly unless they are large or have many values', async () => {
  const SMALL = { examination: { ok: false, fault: { message: 'examined at once' } } };
  const examiner = new ThreadedExaminer({
    direct: { examine: (body) => Promise.resolve({ body, ...SMALL } as never) },
    directLimitBytes: 65_536,
    wallClock: () => Date.now(),
    logger,
    threads: 1,
    limitMs: 60_000,
    heapMebibytes: 16,
    threadFile: new URL('./spinning-thread.ts', import.meta.url),
  });
  onTestFinished(() => examiner[Symbol.asyncDispose]());
  const examine = async (text: string) =>
    examiner.examine(Buffer.from(text), { organization: 'acme', modelList: undefined });
  const values = (count: number) => `[${'1,'.repeat(count - 2)}1]`;
  expect(await examine(`"${'x'.repeat(65_534)}"`)).toMatchObject(SMALL);
  expect(await examine(`"${'x'.repeat(65_535)}"`)).toMatchObject(SEEN);
  expect(await examine(values(8_190))).toMatchObject(SMALL);
  expect(await examine(values(8_192).padEnd(20_000))).toMatchObject(SMALL);
  expect(await examine(values(8_193).padEnd(20_000))).toMatchObject(SEEN);
});

test('all bodies are examined if hundreds arrive at once', async () => {
  const examine = setUp();
  const many = Array.from({ length: 500 }, () => examine('plain'));
  for (const outcome of await Promise.all(many)) expect(outcome).toMatchObject(SEEN);
});

test('one organization cannot use up the memory of the others', async () => {
  const examine = setUp();
  const large = 'plain'.padEnd(4_000_000);
  const many = Array.from({ length: 20 }, () => examine(large, 'greedy'));
  const outcomes = Promise.allSettled(many);
  await expect(examine(large, 'modest')).resolves.toMatchObject(SEEN);
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  // One is in a thread and sixteen wait, which is nearly 64 MiB.
  expect(refused).toHaveLength(20 - 17);
});

test('all together cannot use up the memory, and a single body always has room', async () => {
  const examine = setUp({ limitMs: 60_000 });
  const large = 'plain'.padEnd(4_000_000);
  const organizations = Array.from({ length: 80 }, (_, index) => `organization-${index}`);
  const outcomes = await Promise.allSettled(organizations.map((name) => examine(large, name)));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  // One is in a thread and 66 wait, which is nearly 256 MiB.
  expect(refused).toHaveLength(80 - 67);
  await expect(examine('plain'.padEnd(70_000_000))).resolves.toMatchObject(SEEN);
});
