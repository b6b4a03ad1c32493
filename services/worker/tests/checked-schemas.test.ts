import { useLeakCheck } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { DONE, attemptWith, piece, scriptedRuntime } from './scripted-runtime.ts';

useLeakCheck();

const messages = [{ role: 'user', content: 'Hello' }];
const city = { type: 'object', properties: { city: { type: 'string' } } };
/** The pattern backtracks practically forever on the content below. */
const slow = { type: 'string', pattern: '^(a+)+$' };
const slowContent = JSON.stringify(`${'a'.repeat(40)}!`);

const asking = (schema: object) => ({
  messages,
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
});
const flat = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }]),
  ),
});

/** A runtime that answers each request with the next content. */
async function runtimeSaying(...contents: readonly string[]) {
  const runtime = await scriptedRuntime(
    ...contents.map((content) => (reply: { end: (text: string) => void }) => {
      reply.end(piece(content, 'stop') + DONE);
    }),
  );
  const outcomeOf = (body: object, stream = true) =>
    runtime.run(attemptWith({ stream }, JSON.stringify(body)).attempt, () => undefined);
  return { ...runtime, outcomeOf };
}

describe('a schema that replies cannot be checked against', () => {
  it.each([
    ['a pattern of Python', { type: 'string', pattern: '(?i)^yes$' }],
    ['an anchor of Python', { properties: { a: { pattern: '\\Ayes\\Z' } } }],
    ['a pattern of Python as a name', { patternProperties: { '(?P<n>a)': {} } }],
    ['an external reference', { $ref: 'https://example.com/schema.json' }],
    ['only a reference to itself', { $ref: '#' }],
    ['a keyword with a value of the wrong type', { type: 'array', uniqueItems: 'yes' }],
    ['a pattern of Python in a large schema', { ...flat(1_000), not: { pattern: '(?i)a' } }],
    ['an external reference in a large schema', { ...flat(1_000), $ref: 'urn:example:other' }],
  ])('is refused before anything is generated: %s', async (_, schema) => {
    const { outcomeOf, asked } = await runtimeSaying('{}');
    for (const stream of [true, false]) {
      expect(await outcomeOf(asking(schema), stream)).toMatchObject({
        kind: 'failed',
        failure: {
          reason: 'schema_unreadable',
          retryable: false,
          param: 'response_format.json_schema.schema',
        },
      });
    }
    expect(asked).toEqual([]);
  });

  it('is named by its path among the tools', async () => {
    const { outcomeOf, asked } = await runtimeSaying('Hi');
    const strict = (name: string, pattern: string) => ({
      type: 'function',
      function: { name, strict: true, parameters: { type: 'string', pattern } },
    });
    const tools = [strict('f', '^a$'), strict('g', '(?i)a')];
    expect(await outcomeOf({ messages, tools })).toMatchObject({
      failure: { reason: 'schema_unreadable', param: 'tools[1].function.parameters' },
    });
    expect(asked).toEqual([]);
    expect(await outcomeOf({ messages, tools, tool_choice: 'none' })).toMatchObject({
      kind: 'finished',
    });
  });
});

it('too many new schemas of one organization at once fail as worker_busy', async () => {
  const { outcomeOf } = await runtimeSaying(...Array.from({ length: 40 }, () => '"a"'));
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, at) => outcomeOf(asking({ type: 'string', title: `${at}` }))),
  );
  const failed = outcomes.filter(({ kind }) => kind === 'failed');
  expect(failed.length).toBeGreaterThan(0);
  expect(failed).toMatchObject(
    failed.map(() => ({
      failure: { reason: 'worker_busy', retryable: true, retryAfterMs: 1_000 },
    })),
  );
});

describe('a reply that could not be checked', () => {
  it.each([true, false])('fails (stream: %s), and the next is refused', async (stream) => {
    const { outcomeOf, asked } = await runtimeSaying(slowContent);
    expect(await outcomeOf(asking(slow), stream)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'invalid_output', retryable: false, fault: 'schema_unchecked' },
    });
    expect(await outcomeOf(asking(slow), stream)).toMatchObject({
      failure: { reason: 'schema_too_costly', param: 'response_format.json_schema.schema' },
    });
    expect(asked).toHaveLength(1);
  });

  it('does not affect other schemas of the organization', async () => {
    const { outcomeOf } = await runtimeSaying(slowContent, slowContent, slowContent, '{"city":5}');
    for (const title of ['1', '2', '3']) {
      expect(await outcomeOf(asking({ ...slow, title }))).toMatchObject({ kind: 'failed' });
    }
    expect(await outcomeOf(asking(city))).toMatchObject({
      kind: 'failed',
      failure: { reason: 'invalid_output' },
    });
  });
});

it.each([1_000, 2_000, 5_000])('a schema of %d properties is enforced', async (count) => {
  const last = `p${count - 1}`;
  const { outcomeOf } = await runtimeSaying(`{"${last}":5}`, `{"${last}":"five"}`);
  expect(await outcomeOf(asking(flat(count)))).toMatchObject({
    kind: 'failed',
    failure: { reason: 'invalid_output' },
  });
  expect(await outcomeOf(asking(flat(count)))).toMatchObject({ kind: 'finished' });
});

it.each([
  [{ minimum: 1, exclusiveMinimum: true }, '1', '2'],
  [{ maximum: 1, exclusiveMaximum: true }, '1', '0'],
])('the boolean limits of draft 4 are enforced: %j', async (schema, bad, good) => {
  const { outcomeOf } = await runtimeSaying(bad, good);
  expect(await outcomeOf(asking(schema))).toMatchObject({ kind: 'failed' });
  expect(await outcomeOf(asking(schema))).toMatchObject({ kind: 'finished' });
});
