import { createLogger } from '@sluice/telemetry';
import { afterEach, describe, expect, it } from 'vitest';
import { SchemaChecker } from './schema-checker.ts';

const logger = createLogger({ service: 'schema-test', level: 'silent' });
let checker: SchemaChecker;

afterEach(async () => {
  await checker[Symbol.asyncDispose]();
});

/** Backtracks for longer than anybody waits. */
const slow = { type: 'string', pattern: '^(a+)+$' };
const slowContent = JSON.stringify(`${'a'.repeat(40)}!`);

describe('the schema checker', () => {
  it('answers each check in turn', async () => {
    checker = new SchemaChecker({ logger, limitMs: 5_000 });
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        checker.check({ const: index }, String(index % 2 === 0 ? index : -1)),
      ),
    );
    expect(verdicts).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'matches' : 'differs')),
    );
  });

  it('gives up on a schema that takes for ever, and goes on with the next', async () => {
    checker = new SchemaChecker({ logger, limitMs: 500 });
    const [endless, next] = await Promise.all([
      checker.check(slow, slowContent),
      checker.check({ const: 1 }, '2'),
    ]);
    expect([endless, next]).toEqual(['unchecked', 'differs']);
  });

  it('leaves nobody waiting when it ends', async () => {
    checker = new SchemaChecker({ logger, limitMs: 60_000 });
    const pending = [checker.check(slow, slowContent), checker.check({ const: 1 }, '2')];
    await checker[Symbol.asyncDispose]();
    expect(await Promise.all(pending)).toEqual(['unchecked', 'unchecked']);
  });
});
