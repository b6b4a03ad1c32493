import { createLogger } from '@sluice/telemetry';
import { useLeakCheck, useNats } from '@sluice/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAiDialect } from '../src/dialect/openai-dialect.ts';
import { translateRequest } from '../src/dialect/translate-request.ts';
import { jobHeaderOf } from '../src/domain/job-header-fixture.ts';
import {
  RequestTranslator,
  type RequestTranslatorOptions,
} from '../src/translation/request-translator.ts';
import { useBench } from './bench-worker.ts';
import { LARGE_REQUESTS } from './large-requests.ts';

useLeakCheck();

/** To parse and write it takes about a quarter of a millisecond. */
const ORDINARY = JSON.stringify(
  Array.from({ length: 1_000 }, (_, index) => ({
    role: 'user',
    content: `What is the meaning of ${index}?`,
  })),
);
const ORDINARY_TRIES = 20;
/** Half of the 50 ms for which nothing may hold up a stream. On this thread the slow ones take 55 ms to two seconds. */
const MOST_TIMES_ORDINARY = 100;
const TRIES = 1;
/** Taken in turns, so that a machine that becomes slow is slow to both. */
const TURNS = 3;

const settings = { header: jobHeaderOf({}), sharedCache: false, countsPrompt: false };
const logger = createLogger({ service: 'test', level: 'silent' });

function setUp(options: Partial<RequestTranslatorOptions> = {}) {
  const translator = new RequestTranslator({ logger, ...options });
  onTestFinished(() => translator[Symbol.asyncDispose]());
  return async (body: Uint8Array, isWanted = () => true, organization = 'acme') => {
    const header = jobHeaderOf({ organization });
    return translator.translate(body, openAiDialect, { ...settings, header, isWanted });
  };
}

/** What work takes of this thread, in which all streams are. Its own time: others on the machine do not count. */
async function ownTime(tries: number, work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  for (let count = 0; count < tries; count += 1) await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / tries;
}

describe.each(Object.entries(LARGE_REQUESTS))('a request of 4 MiB with %s', (_, body) => {
  it('holds up no stream while it is translated', async () => {
    const translate = setUp();
    const { generation } = await translate(body);
    expect(Buffer.from(generation).toString()).toBe(
      translateRequest(body, openAiDialect, settings).generation,
    );
    let translating = 0;
    let ordinary = 0;
    for (let turn = 0; turn < TURNS; turn += 1) {
      translating += await ownTime(TRIES, () => translate(body));
      ordinary += await ownTime(ORDINARY_TRIES, () => JSON.stringify(JSON.parse(ORDINARY)));
    }
    expect(translating / ordinary).toBeLessThan(MOST_TIMES_ORDINARY);
  });
});

describe('large requests', () => {
  const plain = (length: number) =>
    Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(length) }] }));

  it('that take too long are refused, and the next ones are translated', async () => {
    const translate = setUp({ limitMs: 100 });
    // Until the threads have been loaded.
    await Promise.all([translate(plain(40_000)), translate(plain(40_000))]);
    const slow = LARGE_REQUESTS['a function with a long integer among a million choices'];
    const refused = translate(slow ?? plain(0));
    await expect(refused).rejects.toThrow('the translation thread ended');
    expect((await translate(plain(40_000))).generation.length).toBeGreaterThan(40_000);
  });

  it('that are no JSON are refused', async () => {
    await expect(setUp()(Buffer.from('{'.repeat(40_000)))).rejects.toThrow('no request');
  });

  it('that nobody waits for any more are not translated', async () => {
    const translate = setUp();
    let wanted = true;
    const first = [translate(plain(4_000_000)), translate(plain(4_000_000))];
    const left = translate(plain(4_000_000), () => wanted);
    wanted = false;
    await expect(left).rejects.toThrow('not wanted any more');
    await Promise.all(first);
  });

  it('of one organization do not keep those of another waiting', async () => {
    const translate = setUp();
    const order: string[] = [];
    const noted = async (organization: string) => {
      await translate(plain(1_000_000), undefined, organization);
      order.push(organization);
    };
    await Promise.all([...Array.from({ length: 12 }, () => noted('greedy')), noted('modest')]);
    expect(order.indexOf('modest')).toBeLessThan(6);
  });
});

describe('a worker', () => {
  const bench = useBench(useNats());

  it('answers large requests beside a stream', async () => {
    const other = bench.gateway.send(bench.worker.id, { sim: { tokens: 200 } });
    await other.until('delta');
    const content = 'What is it that you see there? '.repeat(3_000);
    const messages = [{ role: 'user', content: `${content}\n@sim {"tokens":3}` }];
    const large = bench.gateway.send(bench.worker.id, { body: { messages } });
    for (const attempt of [other, large]) {
      expect((await attempt.untilOver()).kinds().at(-1)).toBe('finished');
    }
    expect(large.deltas().length).toBeGreaterThan(0);
  });
});
