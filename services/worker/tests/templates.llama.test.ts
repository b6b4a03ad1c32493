import { cannotRun, useNats } from '@sluice/devkit';
import { afterEach, describe, expect, it } from 'vitest';
import { readWorkerSettings } from '../src/config.ts';
import { start } from '../src/start.ts';
import { GatewayDouble, silentLogger } from './gateway-double.ts';
import { LLAMA_MODEL, missingLlamaServer, startLlamaServer } from './llama-server.ts';

/** As in the templates of Gemma and Mistral. */
const ALTERNATING = `
{%- for message in messages -%}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) -%}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{%- endif -%}
{{ message.role }}: {{ message.content }}
{% endfor -%}`;

/** Identifies a template of Qwen, for which the server has its own parser of answers and its own errors. */
const SPECIALISED = `${ALTERNATING}{#- <tool_call> <function= <parameter= -#}`;

/** As in the templates of Mistral. */
const NINE_CHARACTERS = `
{%- for message in messages -%}
{%- for call in message.tool_calls or [] -%}
{%- if call.id | length != 9 -%}
{{ raise_exception('Tool call IDs should be alphanumeric strings with length 9!') }}
{%- endif -%}
{%- endfor -%}
{{ message.role }}: {{ message.content }}
{% endfor -%}`;

const SWITCHED = `
{%- for message in messages %}{{ message.content }} {% endfor -%}
{%- if enable_thinking is defined and enable_thinking is false -%}without a thought{%- endif -%}`;

const user = { role: 'user', content: 'Hi' };
const nats = useNats();

let toEnd = new AsyncDisposableStack();

afterEach(async () => {
  await toEnd.disposeAsync();
  toEnd = new AsyncDisposableStack();
});

/** Asks a server with this template, through a worker. */
async function serverWith(chatTemplate: string) {
  const { url } = toEnd.use(await startLlamaServer({ context: 4_096, chatTemplate }));
  const gateway = toEnd.use(await GatewayDouble.connect(nats.url, nats.namespace));
  const environment = { NATS_URL: nats.url, SUBJECT_PREFIX: nats.namespace, RUNTIME_URL: url };
  const worker = toEnd.use(await start(readWorkerSettings(environment), silentLogger));
  await gateway.workerServing(LLAMA_MODEL);
  const named = { model: LLAMA_MODEL, runtime_model: LLAMA_MODEL, max_output_tokens: 5 };
  return (messages: readonly object[], header: object = {}) =>
    gateway.send(worker.id, { header: { ...named, ...header }, body: { messages } }).untilOver();
}

describe.skipIf(cannotRun('a real llama.cpp server', missingLlamaServer))(
  'a chat template on a real llama.cpp server',
  () => {
    it.each([
      ['without its own parser', ALTERNATING],
      ['with its own parser', SPECIALISED],
    ])('%s refuses messages, and that is no failure of the server', async (_, template) => {
      const ask = await serverWith(template);
      const attempt = await ask([user, user]);
      expect(attempt.body('failed')).toEqual({ reason: 'invalid_request', retryable: false });
    });

    it('gets the call ids that the runtime made', async () => {
      const ask = await serverWith(NINE_CHARACTERS);
      const endWith = async (id: string) => {
        const call = { id, type: 'function', function: { name: 'f', arguments: '{}' } };
        const attempt = await ask([
          user,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: id, content: 'done' },
        ]);
        return attempt.kinds().at(-1);
      };
      expect(await endWith('call_na1B2c3D4e')).toBe('finished');
      expect(await endWith('call_xa1B2c3D4e')).toBe('failed');
    });

    it('gets reasoning disabled only by the effort none', async () => {
      const ask = await serverWith(SWITCHED);
      const promptFor = async (header: object) => {
        const attempt = await ask([user], header);
        const { prompt_tokens: count } = attempt.body('usage') as { prompt_tokens: number };
        return count;
      };
      const usual = await promptFor({});
      expect(await promptFor({ reasoning_effort: 'low' })).toBe(usual);
      expect(await promptFor({ reasoning_effort: 'none' })).toBeGreaterThan(usual);
    });
  },
);
