import { CatalogModel } from '@sluice/contracts';
import { examineRequest } from './examine-request.ts';

/** Enough rounds for V8 to compile the validation, so that the first client does not wait for the compiler. */
const ROUNDS = 100;

/** Repeatedly validates a request that uses every parameter. */
export function warmUpExamination(): void {
  const body = Buffer.from(JSON.stringify(REQUEST));
  const models = { find: () => MODEL };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { ok } = examineRequest(body, { organization: 'warm-up', models });
    if (!ok) throw new Error('the request for warming up is not valid');
  }
}

const MODEL = CatalogModel.parse({
  id: 'warm-up',
  owned_by: 'warm-up',
  pool: 'warm-up',
  runtime_model: 'warm-up',
  context_length: 1_000,
  reasoning: { supported_efforts: ['low'] },
  reasoning_history: 'required',
});

const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', enum: ['a'], pattern: '^a$', minLength: 1 },
    node: { $ref: '#/$defs/node' },
    list: { type: 'array', items: { anyOf: [{ type: 'null' }, { type: 'number', minimum: 1 }] } },
  },
  required: ['text'],
  additionalProperties: false,
  $defs: { node: { type: ['object', 'null'] } },
};

const REQUEST = {
  model: MODEL.id,
  messages: [
    { role: 'system', content: 'a' },
    { role: 'user', content: [{ type: 'text', text: 'a' }], name: 'a' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'a',
      refusal: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'a', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'a' },
  ],
  stream: true,
  stream_options: { include_usage: true, include_obfuscation: false },
  temperature: 1,
  top_p: 1,
  max_completion_tokens: 1,
  stop: ['a'],
  seed: 1,
  reasoning_effort: 'low',
  tools: [
    {
      type: 'function',
      function: { name: 'a', description: 'a', strict: true, parameters: SCHEMA },
    },
  ],
  tool_choice: { type: 'function', function: { name: 'a' } },
  parallel_tool_calls: true,
  n: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } },
};
