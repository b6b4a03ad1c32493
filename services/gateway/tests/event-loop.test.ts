import { describe, expect, test } from 'vitest';
import { ModelList } from '../src/access/model-list.ts';
import { readGatewaySettings } from '../src/config.ts';
import { DirectExaminer } from '../src/request/body-examiner.ts';
import { QUICK_BYTES, QUICK_VALUES } from '../src/request/examiner-pool.ts';
import { MODEL } from './fake-catalog.ts';
import { SLOW_SHAPES, slowBody } from './slow-bodies.ts';

/** Parsing this and converting it back to text takes about a quarter of a millisecond. */
const ORDINARY = JSON.stringify(
  Array.from({ length: 1_000 }, (_, index) => ({
    role: 'user',
    content: `What is the meaning of ${index}?`,
  })),
);
/** About ten milliseconds. The slowest of the shapes takes a third to a half of this. */
const MAX_TIMES_ORDINARY = 40;
/** The CPU clock of a thread moves in steps of milliseconds, so many bodies are needed to measure it. */
const TRIES = 4;
const ORDINARY_TRIES = 20;
/** Both are measured in turns, so that a machine that becomes slow affects both. */
const TURNS = 5;

const { THREAD_BODY_BYTES: DIRECT_LIMIT_BYTES } = readGatewaySettings({
  NATS_URL: 'nats://127.0.0.1:1',
  QUOTA_ADDRESSES: '127.0.0.1:1',
  CATALOG_ADDRESSES: '127.0.0.1:1',
});
const examiner = new DirectExaminer(() => Date.now());
const context = { organization: 'acme', modelList: new ModelList([MODEL]) };

/** The CPU time of this thread for one call of `work`. The time of other processes does not count. */
async function ownTime(tries: number, work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  for (let count = 0; count < tries; count += 1) await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / tries;
}

async function timesOrdinary(body: Buffer): Promise<number> {
  await examiner.examine(body, context);
  let examining = 0;
  let ordinary = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    examining += await ownTime(TRIES, () => examiner.examine(body, context));
    ordinary += await ownTime(ORDINARY_TRIES, () => JSON.stringify(JSON.parse(ORDINARY)));
  }
  return examining / ordinary;
}

/** The largest bodies that are read without a thread, by their size and by their number of values. */
describe.each([
  { bytes: QUICK_BYTES, values: Infinity },
  { bytes: DIRECT_LIMIT_BYTES, values: QUICK_VALUES },
])('a body of $bytes bytes and $values values, examined at once', (limits) => {
  test.each(Object.entries(SLOW_SHAPES))(
    'of %s does not delay other requests',
    async (_name, shape) => {
      expect(await timesOrdinary(slowBody(shape, limits))).toBeLessThan(MAX_TIMES_ORDINARY);
    },
  );
});
