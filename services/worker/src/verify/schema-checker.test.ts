import { Worker } from 'node:worker_threads';
import { createLogger } from '@sluice/service';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { schemaTextOf } from '../dialects/schema-text.ts';
import type { JsonObject } from '../json/json.ts';
import { SchemaChecker } from './schema-checker.ts';

const logger = createLogger({ service: 'schema-test', level: 'silent' });
let checker: SchemaChecker;

afterEach(async () => {
  await checker[Symbol.asyncDispose]();
});

const prepare = (organization: string, schema: JsonObject) =>
  checker.prepare(organization, schemaTextOf(schema));
const check = (organization: string, schema: JsonObject, content: string) =>
  checker.check(organization, schemaTextOf(schema), content);

const GENEROUS = { prepareMs: 60_000, checkMs: 60_000 };

/** The pattern backtracks practically forever on the content below. */
const slow = { type: 'string', pattern: '^(a+)+$' };
const slowContent = JSON.stringify(`${'a'.repeat(40)}!`);
const city = { type: 'object', properties: { city: { type: 'string' } } };

/** Takes a large part of a second to prepare. */
const large = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`property ${index}`, { enum: ['a', 'b', 'c'] }]),
  ),
};

function countThreads() {
  const threads = vi.fn();
  process.on('worker', threads);
  onTestFinished(() => void process.off('worker', threads));
  return threads;
}

describe('the schema checker', () => {
  it('answers each check in turn', async () => {
    checker = new SchemaChecker({ logger, limits: GENEROUS });
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        check('acme', { const: index }, String(index % 2 === 0 ? index : -1)),
      ),
    );
    expect(verdicts).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'matches' : 'differs')),
    );
  });

  it('gives up on a check that does not end, and continues with the next', async () => {
    checker = new SchemaChecker({ logger });
    const [endless, next] = await Promise.all([
      check('acme', slow, slowContent),
      check('acme', { const: 1 }, '2'),
    ]);
    expect([endless, next]).toEqual(['unchecked', 'differs']);
  });

  it('checks replies of an organization even if many of its schemas were too slow', async () => {
    checker = new SchemaChecker({ logger, limits: { prepareMs: 500, checkMs: 50 } });
    const titled = [1, 2, 3, 4].map((title) => ({ ...slow, title: `${title}` }));
    const verdicts = await Promise.all(titled.map((schema) => check('acme', schema, slowContent)));
    expect(verdicts).toEqual(['unchecked', 'unchecked', 'unchecked', 'unchecked']);
    expect(await prepare('acme', city)).toBe('ready');
    expect(await check('acme', city, '{"city":5}')).toBe('differs');
    expect(await check('acme', city, '{"city":"Paris"}')).toBe('matches');
  });

  it('refuses a schema to an organization after one of its checks was too slow', async () => {
    checker = new SchemaChecker({ logger });
    expect(await prepare('acme', slow)).toBe('ready');
    expect(await check('acme', slow, slowContent)).toBe('unchecked');
    expect(await prepare('acme', slow)).toBe('too_costly');
    expect(await check('acme', slow, '"aaa"')).toBe('unchecked');
    expect(await prepare('globex', slow)).toBe('ready');
    expect(await check('globex', slow, '"aaa"')).toBe('matches');
  });

  it('limits the CPU time of the thread, not wall time', async () => {
    // This thread seems to get no CPU time at all.
    const reading = vi
      .spyOn(Worker.prototype, 'cpuUsage')
      .mockResolvedValue({ user: 0, system: 0 });
    onTestFinished(() => reading.mockRestore());
    checker = new SchemaChecker({ logger, limits: { prepareMs: 5, checkMs: 60_000 } });
    expect(await prepare('acme', large)).toBe('ready');
    expect(reading).toHaveBeenCalled();
  });

  it('refuses a schema that cannot be prepared within its CPU time, and tries it once', async () => {
    checker = new SchemaChecker({ logger, limits: { prepareMs: 20, checkMs: 200 } });
    await check('globex', { const: 0 }, '0');
    const threads = countThreads();
    expect(await prepare('acme', large)).toBe('too_costly');
    expect(await prepare('globex', large)).toBe('too_costly');
    expect(await check('acme', large, '{}')).toBe('unchecked');
    expect(await check('acme', large, '{')).toBe('differs');
    expect(threads.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('refuses schemas above a million characters, and has memory for any smaller one', async () => {
    checker = new SchemaChecker({ logger, limits: GENEROUS });
    const dense = (length: number) => ({ const: Array.from({ length }, () => ({})) });
    expect(await prepare('acme', dense(333_000))).toBe('ready');
    expect(await prepare('acme', dense(334_000))).toBe('too_costly');
    expect(await check('acme', dense(334_000), '[]')).toBe('unchecked');
    expect(await check('acme', dense(334_000), '[')).toBe('differs');
  });

  it('refuses a schema that cannot be compiled, and uses the thread for it only once', async () => {
    checker = new SchemaChecker({ logger });
    const external = { $ref: 'https://example.com/schema.json' };
    expect(await prepare('acme', external)).toBe('unreadable');
    await checker[Symbol.asyncDispose]();
    expect(await prepare('globex', external)).toBe('unreadable');
    expect(await prepare('acme', { const: 'new' })).toBe('unavailable');
  });

  it('delays no request with a known schema', async () => {
    checker = new SchemaChecker({ logger, limits: GENEROUS });
    expect(await prepare('acme', city)).toBe('ready');
    const busy = check('globex', slow, slowContent);
    expect(await prepare('acme', city)).toBe('ready');
    await checker[Symbol.asyncDispose]();
    expect(await busy).toBe('unchecked');
  });

  it('prepares a schema once for concurrent requests', async () => {
    checker = new SchemaChecker({ logger, limits: GENEROUS });
    const preparations = await Promise.all(
      Array.from({ length: 200 }, () => prepare('acme', city)),
    );
    expect(new Set(preparations)).toEqual(new Set(['ready']));
  });

  it('is unavailable when too many new schemas of an organization wait', async () => {
    checker = new SchemaChecker({ logger, limits: GENEROUS });
    const waiting = Array.from({ length: 40 }, (_, at) => prepare('acme', { const: at }));
    const other = prepare('globex', city);
    const outcomes = await Promise.all(waiting);
    expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(8);
    expect(outcomes.filter((outcome) => outcome === 'unavailable')).toHaveLength(32);
    expect(await other).toBe('ready');
  });

  it('runs checks before waiting preparations, in turns between organizations', async () => {
    checker = new SchemaChecker({ logger, limits: GENEROUS });
    await check('acme', { const: 0 }, '0');
    const order: string[] = [];
    const noted = async (name: string, organization: string) => {
      await check(organization, { const: name }, JSON.stringify(name));
      order.push(name);
    };
    // Takes long enough that everything below has to wait.
    const preparations = [prepare('acme', large)];
    for (let made = 0; made < 20; made += 1) {
      preparations.push(prepare('acme', { const: made, title: `${made}` }));
    }
    await Promise.all([noted('first', 'acme'), noted('second', 'acme'), noted('other', 'globex')]);
    expect(order).toEqual(['first', 'other', 'second']);
    await Promise.all(preparations);
  });

  it('replaces a thread that has compiled enough, and loses no check', async () => {
    const threads = countThreads();
    checker = new SchemaChecker({ logger, limits: GENEROUS, maxCompiled: 0 });
    const verdicts = await Promise.all(
      [1, 2, 3, 4].map((wanted) => check('acme', { const: wanted }, '2')),
    );
    expect(verdicts).toEqual(['differs', 'matches', 'differs', 'differs']);
    expect(await check('acme', { const: 1 }, '1')).toBe('matches');
    expect(threads.mock.calls.length).toBeGreaterThanOrEqual(5);
    // The last thread has compiled enough too, and is ending.
    const startedUntilNow = threads.mock.calls.length;
    await checker[Symbol.asyncDispose]();
    expect(threads).toHaveBeenCalledTimes(startedUntilNow);
  });

  it('settles all waiting checks when it is disposed', async () => {
    checker = new SchemaChecker({ logger, limits: GENEROUS });
    const pending = [check('acme', slow, slowContent), check('acme', { const: 1 }, '2')];
    const preparing = prepare('acme', city);
    await checker[Symbol.asyncDispose]();
    expect(await Promise.all(pending)).toEqual(['unchecked', 'unchecked']);
    expect(await preparing).toBe('unavailable');
  });
});
