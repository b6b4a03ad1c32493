import { estimateInputTokens } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openApiDocument } from '../../routes/openapi.ts';
import { parseRequestBody } from '../examine-request.ts';
import { faultOf, verdictOn } from './request-fixture.ts';
import { ChatCompletionRequestBody } from './request.ts';
import { validateChatRequest } from './validate-request.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const content = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.record({ type: fc.constant('text'), text: fc.string() }), { maxLength: 3 }),
);
const functionName = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);

const promptMessage = fc.record({
  role: fc.constantFrom('system', 'developer', 'user'),
  content,
  name: optional(fc.string()),
});
const answer = fc.record({
  role: fc.constant('assistant'),
  content: fc.oneof(content, fc.constant(null)),
  reasoning_content: optional(fc.string()),
  refusal: optional(fc.constant(null)),
});
/** A step that calls tools, and its results in any order. */
const exchange = fc
  .uniqueArray(fc.string(), { minLength: 1, maxLength: 3 })
  .chain((ids) =>
    fc.tuple(
      fc.record({
        role: fc.constant('assistant'),
        content: optional(fc.constant(null)),
        tool_calls: fc.tuple(
          ...ids.map((id) =>
            fc.record({
              id: fc.constant(id),
              type: fc.constant('function'),
              function: fc.record({ name: functionName, arguments: fc.json() }),
            }),
          ),
        ),
      }),
      fc
        .shuffledSubarray(ids, { minLength: ids.length })
        .map((order) =>
          order.map((id) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` })),
        ),
    ),
  )
  .map(([turn, results]) => [turn, ...results]);

const messages = fc
  .array(
    fc.oneof(
      promptMessage.map((message) => [message]),
      answer.map((message) => [message]),
      exchange,
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.flat());

const tools = fc
  .uniqueArray(functionName, { minLength: 1, maxLength: 4 })
  .map((names) =>
    names.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
  );

const withTools = tools.chain((list) =>
  fc.record({
    tools: fc.constant(list),
    tool_choice: optional(
      fc.oneof(
        fc.constantFrom('none', 'auto', 'required'),
        fc.constantFrom(...list).map(({ function: { name } }) => ({
          type: 'function',
          function: { name },
        })),
      ),
    ),
    parallel_tool_calls: optional(fc.boolean()),
  }),
);
const streamed = fc.record({
  stream: fc.constant(true),
  stream_options: optional(fc.record({ include_usage: fc.boolean() })),
});
/** Includes numbers that a double does not hold exactly. */
const anyInteger = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(Number),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(Math.trunc),
);
const positiveInteger = anyInteger.map((value) => Math.max(1, Math.abs(value)));
const bounded = fc.oneof(
  fc.record({ max_tokens: positiveInteger }),
  fc.record({ max_completion_tokens: positiveInteger }),
);
const penalty = fc.double({ min: -2, max: 2, noNaN: true });
const plain = fc.record({
  model: fc.string({ minLength: 1 }),
  messages,
  temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
  top_p: optional(fc.double({ min: 0, max: 1, noNaN: true })),
  seed: optional(anyInteger),
  stop: optional(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 })),
  reasoning_effort: optional(fc.string({ minLength: 1, maxLength: 64, size: 'max' })),
  frequency_penalty: optional(penalty),
  presence_penalty: optional(fc.oneof(penalty, fc.constant(null))),
  n: optional(fc.constant(1)),
  store: optional(fc.constantFrom(false, null)),
  response_format: optional(
    fc.oneof(
      fc.record({ type: fc.constantFrom('text', 'json_object') }),
      fc.record({
        type: fc.constant('json_schema'),
        json_schema: fc.record({ name: fc.string(), schema: fc.constant({ type: 'object' }) }),
      }),
    ),
  ),
});

const nothing = fc.constant({});
/** A valid body, after a round trip through JSON. */
const validBody: fc.Arbitrary<Json> = fc
  .tuple(
    plain,
    fc.oneof(nothing, withTools),
    fc.oneof(nothing, streamed),
    fc.oneof(nothing, bounded),
  )
  .map((parts) => JSON.parse(JSON.stringify(Object.assign({}, ...parts))) as Json);

/** Replaces, removes or adds a value anywhere in a body. */
const mutatedBody = fc
  .tuple(
    validBody,
    fc.array(fc.nat(), { maxLength: 5 }),
    fc.constantFrom('replace', 'remove', 'add'),
    fc.jsonValue() as fc.Arbitrary<Json>,
    fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'role', 'stop', 'n')),
  )
  .map(([body, path, change, value, name]) => mutate(body, path, { change, value, name }));

interface Mutation {
  readonly change: string;
  readonly value: Json;
  readonly name: string;
}

function mutate(node: Json, path: readonly number[], mutation: Mutation): Json {
  if (typeof node !== 'object' || node === null) return mutation.value;
  const entries = Object.entries(node);
  const [step, ...rest] = path;
  if (step === undefined || entries.length === 0) {
    if (Array.isArray(node)) return [...node, mutation.value];
    return Object.fromEntries([...entries, [mutation.name, mutation.value]]);
  }
  const chosen = step % entries.length;
  const changed = entries.flatMap(([key, child], index): [string, Json][] => {
    if (index !== chosen) return [[key, child]];
    if (rest.length > 0) return [[key, mutate(child, rest, mutation)]];
    return mutation.change === 'remove' ? [] : [[key, mutation.value]];
  });
  return Array.isArray(node) ? changed.map(([, child]) => child) : Object.fromEntries(changed);
}

/** The request schema of the OpenAPI document, converted back to zod. */
function documentedRequest(): z.ZodType {
  const document = openApiDocument({ apiRoot: '/v1', retentionHeader: 'x-retention' });
  const { schemas } = document['components'] as {
    schemas: Record<string, z.core.JSONSchema.JSONSchema>;
  };
  const local = JSON.parse(
    JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/$defs/'),
    withoutSafeIntegers,
  ) as Record<string, z.core.JSONSchema.JSONSchema>;
  return z.fromJSONSchema({ ...local['ChatCompletionRequest'], $defs: local });
}

/** JSON Schema has integers of any size, but zod converts them to integers that a double holds exactly. */
function withoutSafeIntegers(_key: string, schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) return schema;
  const types: unknown[] = [schema.type].flat();
  if (!types.includes('integer')) return schema;
  const type = types.map((name) => (name === 'integer' ? 'number' : name));
  return { ...schema, type, multipleOf: 1 };
}

describe('any body', () => {
  it('gets a verdict, never an exception', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const verdict = verdictOn(body);
        expect(verdict.ok || verdict.fault.message.length > 0).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('is refused for its first unlisted parameter', () => {
    const listed = fc.constantFrom(...Object.keys(ChatCompletionRequestBody.shape));
    const unlisted = fc.oneof(fc.nat().map(String), fc.stringMatching(/^[a-z]{1,2}[0-9]?$/));
    const isListed = (name: string) => Object.hasOwn(ChatCompletionRequestBody.shape, name);
    fc.assert(
      fc.property(fc.array(fc.oneof(listed, unlisted), { minLength: 1 }), (names) => {
        const first = names.find((name) => !isListed(name));
        fc.pre(first !== undefined);
        const members = names.map((name) => `"${name}":"${names.join()}"`);
        expect(faultOf(`{${members.join()}}`)).toEqual(['unsupported_parameter', first]);
      }),
      { numRuns: 1000 },
    );
  });

  it('gets at most one fault, at a parameter of the table or of the body', () => {
    const listed = Object.keys(ChatCompletionRequestBody.shape);
    fc.assert(
      fc.property(mutatedBody, (body) => {
        const verdict = verdictOn(JSON.stringify(body));
        if (verdict.ok) return;
        const { code, param } = verdict.fault;
        if (code === 'unsupported_parameter' && !param.startsWith('messages[')) return;
        expect(listed).toContain(/^\w+/.exec(param)?.[0]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a valid request', () => {
  it('is accepted, and its result is valid and stays the same when validated again', () => {
    fc.assert(
      fc.property(validBody, (body) => {
        const verdict = verdictOn(JSON.stringify(body));
        if (!verdict.ok) expect.unreachable(verdict.fault.message);
        const again = verdictOn(verdict.request);
        expect(again).toEqual(verdict);
        expect(again.ok && estimateInputTokens(again.request, 0.25)).toBe(
          estimateInputTokens(verdict.request, 0.25),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is not modified by the validation', () => {
    fc.assert(
      fc.property(validBody, (body) => {
        const source = Buffer.from(JSON.stringify(body));
        const parsed = parseRequestBody(source);
        if (!parsed.ok) expect.unreachable(parsed.reason);
        validateChatRequest(parsed.value, source);
        expect([parsed.value, source.toString()]).toEqual([body, JSON.stringify(body)]);
      }),
    );
  });

  it('is valid by the published OpenAPI document too', () => {
    const documented = documentedRequest();
    fc.assert(
      fc.property(fc.oneof(validBody, mutatedBody), (body) => {
        if (verdictOn(JSON.stringify(body)).ok) {
          expect(documented.safeParse(body)).toMatchObject({ success: true });
        }
      }),
      { numRuns: 500 },
    );
  });
});
