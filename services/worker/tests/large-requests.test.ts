import { useLeakCheck, useNats } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jobHeaderOf } from '../src/attempt/job-header-fixture.ts';
import { openAiDialect } from '../src/dialects/openai.ts';
import { translateRequest } from '../src/dialects/translate-request.ts';
import {
  RequestTranslator,
  type RequestTranslatorOptions,
} from '../src/translation/request-translator.ts';
import { useBench } from './bench-worker.ts';
import { LARGE_REQUESTS } from './large-requests.ts';

useLeakCheck();

/** Parsing and serialising it takes about a quarter of a millisecond. */
const ORDINARY = JSON.stringify(
  Array.from({ length: 1_000 }, (_, index) => ({
    role: 'user',
    content: `What is the meaning of ${index}?`,
  })),
);
const ORDINARY_TRIES = 20;
/** Half of the longest allowed delay of a stream. On the main thread, the slow requests take 55 ms to two seconds. */
const MAX_TIMES_ORDINARY = 100;
const TRIES = 1;
/** Measured alternately, so that a slow machine affects both. */
const TURNS = 3;

const settings = {
  header: jobHeaderOf({}),
  sharedCache: false,
  priorities: false,
  countsPrompt: false,
};
const logger = createLogger({ service: 'test', level: 'silent' });

function setUp(options: Partial<RequestTranslatorOptions> = {}) {
  const translator = new RequestTranslator({ logger, ...options });
  onTestFinished(() => translator[Symbol.asyncDispose]());
  return async (body: Uint8Array, isWanted = () => true, organization = 'acme') => {
    const header = jobHeaderOf({ organization });
    return translator.translate(body, openAiDialect, { ...settings, header, isWanted });
  };
}

/** The CPU time of the main thread, which serves all streams, for one call of `work`. In microseconds. */
async function mainThreadTime(tries: number, work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  for (let count = 0; count < tries; count += 1) await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / tries;
}

describe.each(Object.entries(LARGE_REQUESTS))('a request of 4 MiB with %s', (_, body) => {
  it('delays no stream while it is translated', async () => {
    const translate = setUp();
    const { generation } = await translate(body);
    expect(Buffer.from(generation).toString()).toBe(
      translateRequest(body, openAiDialect, settings).generation,
    );
    let translating = 0;
    let ordinary = 0;
    for (let turn = 0; turn < TURNS; turn += 1) {
      translating += await mainThreadTime(TRIES, () => translate(body));
      ordinary += await mainThreadTime(ORDINARY_TRIES, () => JSON.stringify(JSON.parse(ORDINARY)));
    }
    expect(translating / ordinary).toBeLessThan(MAX_TIMES_ORDINARY);
  });
});

describe('large requests', () => {
  const plain = (length: number) =>
    Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(length) }] }));

  it('that take too long are refused, and the next ones are translated', async () => {
    const translate = setUp({ limitMs: 100 });
    // Waits until the threads have loaded.
    await Promise.all([translate(plain(40_000)), translate(plain(40_000))]);
    const slow = LARGE_REQUESTS['a function with a long integer among a million choices'];
    const refused = translate(slow ?? plain(0));
    await expect(refused).rejects.toThrow('the translation thread ended');
    expect((await translate(plain(40_000))).generation.length).toBeGreaterThan(40_000);
  });

  it('that are not JSON are refused', async () => {
    await expect(setUp()(Buffer.from('{'.repeat(40_000)))).rejects.toThrow('not a valid request');
  });

  it('that are no longer wanted are not translated', async () => {
    const translate = setUp();
    let wanted = true;
    const first = [translate(plain(4_000_000)), translate(plain(4_000_000))];
    const left = translate(plain(4_000_000), () => wanted);
    wanted = false;
    await expect(left).rejects.toThrow('not wanted any more');
    await Promise.all(first);
  });

  it('of one organization do not delay those of another', async () => {
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

  it('answers large requests during a stream', async () => {
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
