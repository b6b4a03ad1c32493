// oxlint-disable vitest/no-standalone-expect -- rows of a table, which run inside of tests
import { expect } from 'vitest';
import { accepts, refuses, type Case, type CaseGroup } from './case.ts';
import { expectError } from './expectations.ts';
import type { SentenceId } from './sentences.ts';
import { PLAIN_REQUEST, REASONING_MODEL, SHORT } from './world.ts';

/** Values that a parameter refuses, with the sentences of the parameter. */
function invalid(param: string, proves: readonly SentenceId[], values: readonly unknown[]): Case[] {
  return values.map((value) =>
    refuses(`${param}: ${show(value)}`, ['I91', ...proves], { [param]: value }, { param }),
  );
}

function valid(param: string, proves: readonly SentenceId[], values: readonly unknown[]): Case[] {
  return values.map((value) => accepts(`${param}: ${show(value)}`, proves, { [param]: value }));
}

function fixed(
  param: string,
  sentence: SentenceId,
  good: readonly unknown[],
  bad: readonly unknown[],
): Case[] {
  return [
    ...valid(param, [sentence], good),
    ...bad.map((value) =>
      refuses(
        `${param}: ${show(value)}`,
        ['I82', sentence],
        { [param]: value },
        { code: 'unsupported_value', param },
      ),
    ),
  ];
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

const basics: Case[] = [
  ...['model', 'messages'].map((param) =>
    refuses(
      `a request without ${param}`,
      ['I18', 'I19', 'D15'],
      { [param]: undefined },
      { code: 'missing_required_parameter', param },
    ),
  ),
  ...invalid('model', ['I18'], ['', 7, [], {}, true, null]),
  ...invalid('messages', ['I19'], [[], 'Hello', {}, 7, null]),
  refuses(
    'an unknown model',
    ['I77'],
    { model: 'nobody' },
    { status: 404, code: 'model_not_found', param: 'model' },
  ),
  ...valid('stream', ['I20'], [false, null]),
  ...invalid('stream', ['I20'], ['true', 1, {}]),
  ...invalid('stream_options', ['I21', 'D24'], [{}, { include_usage: true }]),
  refuses(
    'stream_options with stream: false',
    ['I21', 'D24'],
    { stream: false, stream_options: {} },
    { param: 'stream_options' },
  ),
  refuses(
    'a stream option of another type',
    ['I21', 'D14'],
    { stream: true, stream_options: { include_usage: 'yes' } },
    { param: 'stream_options.include_usage' },
  ),
  accepts('unknown stream options', ['D21'], { stream: true, stream_options: { unheard_of: 1 } }),
];

const sampling: Case[] = [
  ...valid('temperature', ['I22', 'D16'], [0, 2, 1.5, null]),
  ...invalid('temperature', ['I22', 'D16'], [-0.1, 2.000_000_1, '1', true, [], {}]),
  ...valid('top_p', ['I23'], [0, 1, 0.5, null]),
  ...invalid('top_p', ['I23'], [-0.001, 1.001, '1']),
  ...valid('frequency_penalty', ['I35'], [-2, 2, 0, null]),
  ...invalid('frequency_penalty', ['I35'], [-2.1, 2.1, '0']),
  ...valid('presence_penalty', ['I35'], [-2, 2, null]),
  ...invalid('presence_penalty', ['I35'], [-3, 3, false]),
  ...valid('seed', ['I27'], [0, -1, 9_007_199_254_740_991, 2 ** 63, -(2 ** 63), 1e300, null]),
  ...invalid('seed', ['I27'], [1.5, '1', true]),
  accepts('temperature and top_p together', ['D25'], { temperature: 1, top_p: 0.9 }),
];

const lengths: Case[] = [
  ...valid('max_completion_tokens', ['I24'], [1, 5, null]),
  ...invalid('max_completion_tokens', ['I24'], [0, -1, 1.5, '5']),
  ...valid('max_tokens', ['I25'], [1, 5, null]),
  ...invalid('max_tokens', ['I25'], [0, -1, 2.5, true]),
  refuses(
    'both bounds',
    ['I25', 'D22'],
    { max_tokens: 5, max_completion_tokens: 5 },
    { param: 'max_tokens' },
  ),
  accepts('one bound beside a null one', ['D13'], { max_tokens: 5, max_completion_tokens: null }),
  ...valid('stop', ['I26'], ['END', ['a'], ['a', 'b', 'c', 'd'], null]),
  ...invalid('stop', ['I26'], ['', [], ['a', 'b', 'c', 'd', 'e'], 7]),
  refuses('an empty stop sequence', ['I26'], { stop: ['a', ''] }, { param: 'stop[1]' }),
  {
    title: 'stop has no effect',
    proves: ['I26'],
    run: async (world) => {
      const messages = [{ role: 'user', content: 'x\n@sim {"text": "one two three"}' }];
      const reply = await world.complete({ messages, stop: ['two', 'one'] });
      expect(await reply.text()).toContain('one two three');
    },
  },
  ...['low', 'medium', 'high'].map((effort) =>
    accepts(`reasoning_effort: ${effort}`, ['I28'], {
      model: REASONING_MODEL,
      reasoning_effort: effort,
    }),
  ),
  ...['max', 'none', 'LOW', 'x'.repeat(64)].map((effort) =>
    refuses(
      `reasoning_effort: ${effort} for a model that does not list it`,
      ['I83'],
      { model: REASONING_MODEL, reasoning_effort: effort },
      { code: 'unsupported_value', param: 'reasoning_effort' },
    ),
  ),
  ...invalid('reasoning_effort', ['I28'], ['', 'x'.repeat(65), 7]),
];

const fixedValues: Case[] = [
  ...fixed('n', 'I32', [1, null], [0, 2, '1', 1.5]),
  ...fixed('logprobs', 'I33', [false, null], [true, 'false', 0]),
  ...fixed('logit_bias', 'I34', [{}, null], [{ 50_256: -100 }, [], 'x']),
  ...fixed('store', 'I38', [false, null], [true, 'false']),
  ...fixed('modalities', 'I39', [['text'], null], [[], ['audio'], ['text', 'audio'], 'text']),
  ...fixed('verbosity', 'I40', ['medium', null], ['low', 'high', 1]),
  ...fixed('service_tier', 'I37', ['auto', 'default', null], ['flex', 'priority', 1]),
];

const unlisted: Case[] = [
  ...[
    'user',
    'metadata',
    'top_logprobs',
    'audio',
    'prediction',
    'functions',
    'function_call',
    'stream_option',
    'Temperature',
    'prompt',
    'safety_identifier',
  ].map((param) =>
    refuses(
      `the parameter ${param}`,
      ['I41', 'I84'],
      { [param]: null },
      { code: 'unsupported_parameter', param },
    ),
  ),
  ...['__proto__', 'constructor', 'toString', 'prototype'].map((param): Case => ({
    title: `refuses the key ${param}`,
    proves: ['D12', 'I84'],
    run: async (world) => {
      const body = JSON.stringify(PLAIN_REQUEST).replace('{', `{"${param}": {"polluted": true},`);
      await expectError(await world.send(body), {
        status: 400,
        type: 'invalid_request_error',
        code: 'unsupported_parameter',
        param,
      });
      expect({}).not.toHaveProperty('polluted');
    },
  })),
  ...(
    [
      ['{"temperature": 9, "zebra": 1, "apple": 1, "model": 7}', 'zebra'],
      ['{"temperature": 9, "zebra": 1, "10": 1, "2": 1}', 'zebra'],
      ['{"10": 1, "2": 1, "zebra": 1}', '10'],
    ] as const
  ).map(([body, param]): Case => ({
    title: `of several faults, unlisted parameters are reported first, in the order of the body: ${body}`,
    proves: ['D17'],
    run: async (world) => {
      await expectError(await world.send(body), {
        status: 400,
        type: 'invalid_request_error',
        code: 'unsupported_parameter',
        param,
      });
    },
  })),
  refuses(
    'several faults by the first of the table',
    ['D17'],
    { verbosity: 'x', seed: 'x', temperature: 9, messages: PLAIN_REQUEST.messages },
    { param: 'temperature' },
  ),
  refuses(
    'a wrong model before wrong messages',
    ['D17'],
    { model: 1, messages: 1 },
    { param: 'model' },
  ),
  refuses(
    'wrong messages before a wrong stream',
    ['D17'],
    { stream: 1, messages: 1 },
    { param: 'messages' },
  ),
];

const numbers: Case[] = (
  [
    ['16.0 as the integer 16', '"max_tokens": 16.0', undefined],
    ['1e1 as the integer 10', '"max_tokens": 1e1', undefined],
    ['-0 as 0', '"temperature": -0.0', undefined],
    ['1e400', '"temperature": 1e400', 'temperature'],
    ['-1e400', '"top_p": -1e400', 'top_p'],
    ['1e-400 as 0', '"temperature": 1e-400', undefined],
    ['1e400 as an integer', '"seed": 1e400', 'seed'],
    ['1e400 as a bound', '"max_tokens": 1e400', 'max_tokens'],
    ['an integer beyond what is exact', '"seed": 18446744073709551615', undefined],
  ] as const
).map(([title, field, param]): Case => ({
  title: `${param === undefined ? 'accepts' : 'refuses'} ${title}`,
  proves: ['D16'],
  run: async (world) => {
    const reply = await world.send(JSON.stringify(PLAIN_REQUEST).replace('{', `{${field},`));
    if (param === undefined) {
      expect(reply.status).toBe(200);
      await reply.text();
    } else {
      await expectError(reply, {
        status: 400,
        type: 'invalid_request_error',
        code: 'invalid_value',
        param,
      });
    }
  },
}));

const nulls: Case[] = [
  {
    title: 'accepts null for every optional parameter at once',
    proves: ['D13'],
    run: async (world) => {
      const optional = [
        'stream',
        'stream_options',
        'temperature',
        'top_p',
        'max_completion_tokens',
        'max_tokens',
        'stop',
        'seed',
        'reasoning_effort',
        'tools',
        'tool_choice',
        'parallel_tool_calls',
        'n',
        'logprobs',
        'logit_bias',
        'frequency_penalty',
        'presence_penalty',
        'response_format',
        'service_tier',
        'store',
        'modalities',
        'verbosity',
      ];
      const reply = await world.complete(Object.fromEntries(optional.map((name) => [name, null])));
      expect(reply.status).toBe(200);
      await reply.text();
    },
  },
  accepts('a null stream option', ['D13'], {
    stream: true,
    stream_options: { include_usage: null },
    messages: [{ role: 'user', content: SHORT }],
  }),
];

export const parameterCases: CaseGroup[] = [
  { section: 'model, messages and stream', cases: basics },
  { section: 'sampling', cases: sampling },
  { section: 'lengths, stop and effort', cases: lengths },
  { section: 'parameters with fixed values', cases: fixedValues },
  { section: 'unlisted parameters and the order of faults', cases: unlisted },
  { section: 'numbers and nulls', cases: [...numbers, ...nulls] },
];
