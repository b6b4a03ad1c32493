import { describe, expect, it } from 'vitest';
import { verdictOn } from './request-fixture.ts';

const question = { role: 'user', content: 'What is the weather?' };
const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
};
const call = { id: 'call_r1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const answer = { role: 'tool', tool_call_id: 'call_r1', content: 'sunny' };

/** Bodies that client libraries were observed to send. */
const bodies: Record<string, object> = {
  'openai, tools by runTools': {
    model: 'm',
    messages: [question, { role: 'assistant', content: null, tool_calls: [call] }, answer],
    tools: [{ ...weather, function: { ...weather.function, description: '', strict: true } }],
    tool_choice: 'auto',
    stream: false,
  },
  'openai, a parsed message sent back': {
    model: 'm',
    messages: [
      question,
      {
        role: 'assistant',
        content: null,
        refusal: null,
        reasoning_content: 'r',
        tool_calls: [
          { ...call, function: { ...call.function, parsed_arguments: { place: 'here' } } },
        ],
        parsed: null,
      },
      answer,
      { role: 'assistant', content: '{"a":1}', refusal: null, parsed: { a: 1 } },
      question,
    ],
  },
  'litellm, a message sent back as it was returned': {
    model: 'm',
    messages: [
      question,
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'r',
        tool_calls: [call],
        function_call: null,
        provider_specific_fields: { refusal: null },
      },
      answer,
    ],
    tools: [weather],
  },
  'huggingface_hub, a message sent back as it was returned': {
    model: 'm',
    messages: [
      question,
      {
        role: 'assistant',
        content: null,
        reasoning: null,
        tool_call_id: null,
        tool_calls: [call],
        refusal: null,
        reasoning_content: 'r',
      },
      answer,
    ],
    tools: [weather],
  },
  'openai, structured output': {
    model: 'm',
    messages: [question],
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'n',
        strict: true,
        schema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: { a: { type: 'number' } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    },
  },
  '@ai-sdk/openai, reasoning models': {
    model: 'gpt-5-like',
    messages: [{ role: 'developer', content: 'Be brief.' }, question],
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
  },
  '@ai-sdk/openai-compatible, reasoning sent back': {
    model: 'm',
    messages: [
      question,
      { role: 'assistant', content: '', reasoning_content: 'r', tool_calls: [call] },
      answer,
    ],
    response_format: { type: 'json_object' },
  },
  '@langchain/openai, names on messages': {
    model: 'm',
    messages: [
      { ...question, name: 'ada' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { ...answer, name: 'weather' },
    ],
  },
  'llamaindex, temperature and top_p': {
    model: 'm',
    messages: [question],
    temperature: 0.1,
    top_p: 1,
  },
  'multi-llm-ts, refusal sent back': {
    model: 'm',
    messages: [question, { role: 'assistant', content: 'Sunny.', refusal: null }, question],
  },
  'qwen-code, results as parts and a tool without parameters': {
    model: 'm',
    messages: [
      {
        role: 'system',
        content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
      },
      question,
      { role: 'assistant', content: null, tool_calls: [{ ...call, index: 0 }] },
      { ...answer, content: [{ type: 'text', text: 'sunny' }] },
    ],
    tools: [{ type: 'function', function: { name: 'weather', description: 'd' } }],
    max_tokens: 32_000,
    stream: true,
    stream_options: { include_usage: true },
  },
  'opencode, titles': {
    model: 'm',
    messages: [question],
    max_tokens: 32_000,
    reasoning_effort: 'low',
    stream: true,
  },
  'genkit, an assistant turn without content': {
    model: 'm',
    messages: [question, { role: 'assistant', tool_calls: [call] }, answer],
    tools: [weather],
  },
};

describe('bodies of known clients', () => {
  it.each(Object.entries(bodies))('%s is accepted', (_client, body) => {
    expect(verdictOn(body)).toMatchObject({ ok: true });
  });
});
