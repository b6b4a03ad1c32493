import { expect } from 'vitest';
import { accepts, refuses, type Case, type CaseGroup } from './case.ts';
import { expectError } from './expectations.ts';
import { PLAIN_REQUEST, type World } from './world.ts';

const tool = (name: unknown, more: object = {}) => ({
  type: 'function',
  function: { name, ...more },
});
const weather = tool('get_weather', {
  description: 'The weather at a place.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 9 } },
    required: ['city', 'days'],
    additionalProperties: false,
  },
});
const many = (count: number) => Array.from({ length: count }, (_, index) => tool(`f${index}`));

const tools: Case[] = [
  accepts('a tool', ['I29'], { tools: [weather] }),
  accepts('128 tools', ['I29'], { tools: many(128) }),
  accepts('no tools at all', ['D26'], { tools: [] }),
  accepts('a tool without parameters', ['D27'], { tools: [tool('bare')] }),
  accepts('null for what a tool may leave out', ['D27', 'D13'], {
    tools: [tool('bare', { description: null, parameters: null, strict: null })],
  }),
  accepts('strict functions', ['D27'], { tools: [tool('exact', { strict: true })] }),
  accepts('unknown fields of a tool', ['D21'], {
    tools: [{ ...tool('x', { unheard_of: 1 }), also: 2 }],
  }),
  accepts('a name of 64 characters', ['D27'], { tools: [tool('x'.repeat(64))] }),
  refuses('129 tools', ['I29'], { tools: many(129) }, { param: 'tools' }),
  refuses('tools that are an object', ['I29'], { tools: {} }, { param: 'tools' }),
  refuses(
    'a tool of another type',
    ['I29'],
    { tools: [{ ...weather, type: 'retrieval' }] },
    { param: 'tools[0].type' },
  ),
  refuses(
    'a tool without a function',
    ['D15'],
    { tools: [{ type: 'function' }] },
    { code: 'missing_required_parameter', param: 'tools[0].function' },
  ),
  refuses(
    'a tool without a name',
    ['I29', 'D15'],
    { tools: [weather, { type: 'function', function: {} }] },
    { code: 'missing_required_parameter', param: 'tools[1].function.name' },
  ),
  ...['', 'with space', 'dot.ted', 'ü', 'x'.repeat(65), 7].map((name) =>
    refuses(
      `the function name ${JSON.stringify(name)}`,
      ['D27', 'D14'],
      { tools: [tool(name)] },
      { param: 'tools[0].function.name' },
    ),
  ),
  refuses(
    'a name used twice',
    ['D27'],
    { tools: [tool('a'), tool('b'), tool('a')] },
    { param: 'tools[2].function.name' },
  ),
  refuses(
    'parameters that are text',
    ['I29'],
    { tools: [tool('a', { parameters: '{}' })] },
    { param: 'tools[0].function.parameters' },
  ),
  refuses(
    'strict that is text',
    ['D27'],
    { tools: [tool('a', { strict: 'yes' })] },
    { param: 'tools[0].function.strict' },
  ),
  ...['none', 'auto', 'required'].map((choice) =>
    accepts(`tool_choice: ${choice}`, ['I30'], { tools: [weather], tool_choice: choice }),
  ),
  accepts('a named tool_choice with an unknown field', ['I30', 'D28', 'D21'], {
    tools: [weather],
    tool_choice: { type: 'function', function: { name: 'get_weather' }, x: 1 },
  }),
  refuses(
    'tool_choice without tools',
    ['I30', 'D23'],
    { tool_choice: 'auto' },
    { param: 'tool_choice' },
  ),
  refuses(
    'tool_choice with empty tools',
    ['D23', 'D26'],
    { tools: [], tool_choice: 'auto' },
    { param: 'tool_choice' },
  ),
  refuses(
    'an unknown tool_choice',
    ['I30'],
    { tools: [weather], tool_choice: 'any' },
    { param: 'tool_choice' },
  ),
  refuses(
    'a tool_choice that names a missing tool',
    ['D28'],
    { tools: [weather], tool_choice: { type: 'function', function: { name: 'other' } } },
    { param: 'tool_choice.function.name' },
  ),
  accepts('parallel_tool_calls with tools', ['I31'], {
    tools: [weather],
    parallel_tool_calls: false,
  }),
  refuses(
    'parallel_tool_calls without tools',
    ['I31', 'D23'],
    { parallel_tool_calls: true },
    { param: 'parallel_tool_calls' },
  ),
  refuses(
    'parallel_tool_calls of another type',
    ['I31'],
    { tools: [weather], parallel_tool_calls: 'yes' },
    { param: 'parallel_tool_calls' },
  ),
];

interface CalledReply {
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly message: {
      readonly content: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        id: string;
        type: string;
        function: { name: string; arguments: string };
      }[];
    };
  }[];
}

const CALL = 'Weather?\n@sim {"tool": "get_weather", "reasoning": 3}';
const CALL_WITHOUT_REASONING = 'Weather?\n@sim {"tool": "get_weather", "reasoning": 0}';

async function callTool(world: World, content: string): Promise<CalledReply> {
  const messages = [{ role: 'user', content }];
  const reply = await world.complete({ model: 'sluice-demo', messages, tools: [weather] });
  return (await reply.json()) as CalledReply;
}

const calls: Case[] = [
  {
    title: 'a reply with a tool call ends with tool_calls, and the result of the call is accepted',
    proves: ['I80', 'I48', 'I45', 'D43', 'D49'],
    run: async (world) => {
      const { choices } = await callTool(world, CALL);
      const [choice] = choices;
      expect(choice?.finish_reason).toBe('tool_calls');
      const [call] = choice?.message.tool_calls ?? [];
      expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } });
      expect(call?.id).toMatch(/^call_r/);
      expect(JSON.parse(call?.function.arguments ?? '')).toMatchObject({
        city: expect.any(String) as string,
        days: expect.any(Number) as number,
      });
      const second = await world.complete({
        model: 'sluice-demo',
        tools: [weather],
        messages: [
          { role: 'user', content: 'Weather?' },
          { role: 'assistant', ...choice?.message },
          { role: 'tool', tool_call_id: call?.id, content: 'Rain.' },
        ],
      });
      expect(second.status).toBe(200);
      await second.text();
    },
  },
  {
    title: 'the id of a call without reasoning begins with call_n',
    proves: ['D43'],
    run: async (world) => {
      const { choices } = await callTool(world, CALL_WITHOUT_REASONING);
      expect(choices[0]?.message.tool_calls?.[0]?.id).toMatch(/^call_n/);
    },
  },
];

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
};
const format = (json_schema: unknown) => ({
  response_format: { type: 'json_schema', json_schema },
});

/** Refuses a body with 1e400, which JSON.stringify cannot write. */
const infinite = (member: object, param: string): Case => ({
  title: `refuses 1e400 within ${param}`,
  proves: ['D16'],
  run: async (world) => {
    const body = JSON.stringify({ ...PLAIN_REQUEST, ...member }).replace('"1e400"', '1e400');
    await expectError(await world.send(body), {
      status: 400,
      type: 'invalid_request_error',
      code: 'invalid_value',
      param,
    });
  },
});

const formats: Case[] = [
  infinite(
    { tools: [weather, tool('f', { parameters: { properties: { a: { default: '1e400' } } } })] },
    'tools[1].function.parameters',
  ),
  infinite(
    format({ name: 'n', schema: { maximum: '1e400' } }),
    'response_format.json_schema.schema',
  ),
  accepts('plain text', ['I36'], { response_format: { type: 'text' } }),
  accepts('json_object', ['I36'], { response_format: { type: 'json_object' } }),
  accepts(
    'a schema with everything',
    ['I36', 'D29'],
    format({ name: 'person', description: 'x', strict: true, schema }),
  ),
  accepts(
    'a schema with annotations',
    ['D29'],
    format({
      name: 'p',
      schema: { ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'P' },
    }),
  ),
  accepts(
    'null in a format',
    ['D13'],
    format({ name: 'p', strict: null, description: null, schema }),
  ),
  accepts('unknown fields of a format', ['D21'], {
    response_format: { type: 'text', unheard_of: 1 },
  }),
  refuses(
    'an unknown format',
    ['I36'],
    { response_format: { type: 'yaml' } },
    { param: 'response_format.type' },
  ),
  refuses(
    'a format without a type',
    ['D15'],
    { response_format: {} },
    { code: 'missing_required_parameter', param: 'response_format.type' },
  ),
  refuses(
    'a format that is text',
    ['I36'],
    { response_format: 'json' },
    { param: 'response_format' },
  ),
  refuses(
    'json_schema without a schema object',
    ['D15'],
    { response_format: { type: 'json_schema' } },
    { code: 'missing_required_parameter', param: 'response_format.json_schema' },
  ),
  refuses('a schema without a name', ['D15', 'D14'], format({ schema }), {
    code: 'missing_required_parameter',
    param: 'response_format.json_schema.name',
  }),
  refuses('a schema that is text', ['D29'], format({ name: 'p', schema: 'x' }), {
    param: 'response_format.json_schema.schema',
  }),
  {
    title: 'content matches the schema that was asked for',
    proves: ['I81'],
    run: async (world) => {
      const reply = await world.complete({
        messages: [{ role: 'user', content: 'Who?' }],
        ...format({ name: 'person', strict: true, schema }),
      });
      const { choices } = (await reply.json()) as CalledReply;
      expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({
        name: expect.any(String) as string,
        age: expect.any(Number) as number,
      });
    },
  },
];

export const toolCases: CaseGroup[] = [
  { section: 'tools', cases: tools },
  { section: 'calls', cases: calls },
  { section: 'response_format and schemas', cases: formats },
];
