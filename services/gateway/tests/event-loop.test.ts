import { describe, expect, test } from 'vitest';
import { readGatewaySettings } from '../src/config.ts';
import { DirectExaminer } from '../src/domain/body-examiner.ts';
import { ModelShelf } from '../src/domain/model-shelf.ts';
import { QUICK_BYTES, QUICK_VALUES } from '../src/threads/threaded-examiner.ts';
import { MODEL } from './fake-catalog.ts';
import { SLOW_SHAPES, slowBody } from './slow-bodies.ts';

/** To parse and write it takes about a quarter of a millisecond. */
const ORDINARY = JSON.stringify(
  Array.from({ length: 1_000 }, (_, index) => ({
    role: 'user',
    content: `What is the meaning of ${index}?`,
  })),
);
/** Some ten milliseconds: the slowest of the shapes takes a third to a half of it. */
const MOST_TIMES_ORDINARY = 40;
/** The clock of a thread moves in steps of milliseconds: it takes many bodies to read it. */
const TRIES = 4;
const ORDINARY_TRIES = 20;
/** Taken in turns, so that a machine that becomes slow is slow to both. */
const TURNS = 5;

const { THREAD_BODY_BYTES: DIRECT_LIMIT_BYTES } = readGatewaySettings({
  NATS_URL: 'nats://127.0.0.1:1',
  QUOTA_ADDRESSES: '127.0.0.1:1',
  CATALOG_ADDRESSES: '127.0.0.1:1',
});
const examiner = new DirectExaminer(() => Date.now());
const context = { organization: 'acme', shelf: new ModelShelf([MODEL]) };

/** What work takes of this thread, in which all events are. Its own time: others on the machine do not count. */
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

/** As large as a body can be without a thread, by its size alone, and by what is in it. */
describe.each([
  { bytes: QUICK_BYTES, values: Infinity },
  { bytes: DIRECT_LIMIT_BYTES, values: QUICK_VALUES },
])('a body of $bytes bytes and $values values, examined at once', (limits) => {
  test.each(Object.entries(SLOW_SHAPES))('of %s holds up no other', async (_name, shape) => {
    expect(await timesOrdinary(slowBody(shape, limits))).toBeLessThan(MOST_TIMES_ORDINARY);
  });
});
