import { describe, expect, test } from 'vitest';
import { readGatewaySettings } from '../src/config.ts';
import { DirectExaminer } from '../src/domain/body-examiner.ts';
import { ModelShelf } from '../src/domain/model-shelf.ts';
import { QUICK_BYTES, QUICK_VALUES } from '../src/threads/threaded-examiner.ts';
import { MODEL } from './in-memory-gateway.ts';
import { SLOW_SHAPES, slowBody } from './slow-bodies.ts';

const LIMIT_MS = 10;
/** The clock of a thread moves in steps of milliseconds: it takes many bodies to read it. */
const TRIES = 20;

const { THREAD_BODY_BYTES: DIRECT_LIMIT_BYTES } = readGatewaySettings({
  NATS_URL: 'nats://127.0.0.1:1',
  QUOTA_ADDRESSES: '127.0.0.1:1',
  CATALOG_ADDRESSES: '127.0.0.1:1',
});
const examiner = new DirectExaminer(() => Date.now());
const context = { organization: 'acme', shelf: new ModelShelf([MODEL]) };

/** What a body takes of this thread, in which all events are. Its own time: others on the machine do not count. */
async function ownMilliseconds(body: Buffer): Promise<number> {
  await examiner.examine(body, context);
  const before = process.threadCpuUsage();
  for (let count = 0; count < TRIES; count += 1) await examiner.examine(body, context);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / TRIES;
}

/** As large as a body can be without a thread, by its size alone, and by what is in it. */
describe.each([
  { bytes: QUICK_BYTES, values: Infinity },
  { bytes: DIRECT_LIMIT_BYTES, values: QUICK_VALUES },
])('a body of $bytes bytes and $values values, examined at once', (limits) => {
  test.each(Object.entries(SLOW_SHAPES))('of %s holds up no other', async (_name, shape) => {
    expect(await ownMilliseconds(slowBody(shape, limits))).toBeLessThan(LIMIT_MS);
  });
});
