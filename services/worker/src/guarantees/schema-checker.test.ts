import { createLogger } from '@sluice/telemetry';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SchemaChecker } from './schema-checker.ts';

const logger = createLogger({ service: 'schema-test', level: 'silent' });
let checker: SchemaChecker;

afterEach(async () => {
  await checker[Symbol.asyncDispose]();
});

/** Backtracks for longer than anybody waits. */
const slow = { type: 'string', pattern: '^(a+)+$' };
const slowContent = JSON.stringify(`${'a'.repeat(40)}!`);

/** Takes a good part of a second to compile. */
const large = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 4_000 }, (_, index) => [
      `property ${index}`,
      { type: 'string', enum: ['a', 'b', 'c'], minLength: 1 },
    ]),
  ),
};

describe('the schema checker', () => {
  it('answers each check in turn', async () => {
    checker = new SchemaChecker({ logger, limitMs: 5_000 });
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        checker.check('acme', { const: index }, String(index % 2 === 0 ? index : -1)),
      ),
    );
    expect(verdicts).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'matches' : 'differs')),
    );
  });

  it('gives up on a schema that takes for ever, and goes on with the next', async () => {
    checker = new SchemaChecker({ logger, limitMs: 500 });
    const [endless, next] = await Promise.all([
      checker.check('acme', slow, slowContent),
      checker.check('acme', { const: 1 }, '2'),
    ]);
    expect([endless, next]).toEqual(['unchecked', 'differs']);
  });

  it('lets a check wait for no preparation but the one at work, and organizations take turns', async () => {
    checker = new SchemaChecker({ logger, limitMs: 5_000 });
    await checker.check('acme', { const: 0 }, '0');
    const order: string[] = [];
    const noted = async (name: string, organization: string) => {
      await checker.check(organization, { const: name }, JSON.stringify(name));
      order.push(name);
    };
    // At work, and long enough for everything below to be waiting.
    checker.prepare('acme', large);
    for (let made = 0; made < 20; made += 1) {
      checker.prepare('acme', { ...large, title: `${made}` });
    }
    await Promise.all([noted('first', 'acme'), noted('second', 'acme'), noted('other', 'globex')]);
    expect(order).toEqual(['first', 'other', 'second']);
  });

  it('tries a schema that cannot be made ready in time once, and tells JSON from none all the same', async () => {
    checker = new SchemaChecker({ logger, limitMs: 60_000, prepareLimitMs: 20 });
    await checker.check('acme', { const: 0 }, '0');
    checker.prepare('acme', large);
    // Its turn comes when that is given up.
    await checker.check('globex', { const: 1 }, '1');
    expect(await checker.check('acme', large, '{}')).toBe('unchecked');
    expect(await checker.check('acme', large, '{')).toBe('differs');
  });

  it('loses three threads to an organization whose schemas cannot be made ready in time, however many it has', async () => {
    const threads = vi.fn();
    process.on('worker', threads);
    onTestFinished(() => void process.off('worker', threads));
    checker = new SchemaChecker({ logger, limitMs: 60_000, prepareLimitMs: 20 });
    await checker.check('globex', { const: 0 }, '0');
    for (let made = 0; made < 5; made += 1) checker.prepare('acme', { ...large, title: `${made}` });
    // The turn of each comes when one more is given up.
    for (const given of ['1', '2', '3']) await checker.check('globex', { const: 1 }, given);
    expect(await checker.check('globex', { const: 1 }, '2')).toBe('differs');
    expect(await checker.check('acme', { const: 1 }, '2')).toBe('unchecked');
    expect(threads).toHaveBeenCalledTimes(4);
  });

  it('loses no more to answers that come before their schemas are made ready', async () => {
    const threads = vi.fn();
    process.on('worker', threads);
    onTestFinished(() => void process.off('worker', threads));
    checker = new SchemaChecker({ logger, limitMs: 500 });
    const verdicts = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((made) =>
        checker.check('acme', { ...slow, title: `${made}` }, made === 6 ? '{' : slowContent),
      ),
    );
    expect(verdicts).toEqual([...Array.from({ length: 5 }, () => 'unchecked'), 'differs']);
    expect(await checker.check('globex', { const: 1 }, '2')).toBe('differs');
    expect(threads).toHaveBeenCalledTimes(4);
  });

  it('goes on in a fresh thread when one has compiled enough, and loses no check by it', async () => {
    const threads = vi.fn();
    process.on('worker', threads);
    onTestFinished(() => void process.off('worker', threads));
    checker = new SchemaChecker({ logger, limitMs: 5_000, mostCompiled: 0 });
    const verdicts = await Promise.all(
      [1, 2, 3, 4].map((wanted) => checker.check('acme', { const: wanted }, '2')),
    );
    expect(verdicts).toEqual(['differs', 'matches', 'differs', 'differs']);
    expect(await checker.check('acme', { const: 1 }, '1')).toBe('matches');
    expect(threads.mock.calls.length).toBeGreaterThanOrEqual(5);
    // The last one has compiled enough, too, and is on its way out.
    const startedUntilNow = threads.mock.calls.length;
    await checker[Symbol.asyncDispose]();
    expect(threads).toHaveBeenCalledTimes(startedUntilNow);
  });

  it('leaves nobody waiting when it ends', async () => {
    checker = new SchemaChecker({ logger, limitMs: 60_000 });
    const pending = [
      checker.check('acme', slow, slowContent),
      checker.check('acme', { const: 1 }, '2'),
    ];
    await checker[Symbol.asyncDispose]();
    expect(await Promise.all(pending)).toEqual(['unchecked', 'unchecked']);
  });
});
