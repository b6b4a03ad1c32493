import type { JobHeader } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { jobHeaderOf } from '../domain/job-header-fixture.ts';
import type { JsonObject } from '../json/json.ts';
import { readClientRequest, type ClientRequest } from './client-request.ts';
import type { AskRuntime, Dialect } from './dialect.ts';
import { llamaCppDialect } from './llama-cpp-dialect.ts';
import { openAiDialect } from './openai-dialect.ts';
import { sglangDialect } from './sglang-dialect.ts';
import { vllmDialect } from './vllm-dialect.ts';

const header = jobHeaderOf({
  organization: 'org-a',
  model: 'public-name',
  runtime_model: 'runtime-name',
});
const request = readClientRequest(
  Buffer.from(
    JSON.stringify({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Ho', reasoning_content: 'thought' },
      ],
      temperature: 0,
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'required',
      response_format: { type: 'json_object' },
    }),
  ),
);
const options = { sharedCache: false };

/** As a run does it: what an answer brings may lead to another question. */
async function countPrompt(
  dialect: Dialect,
  ask: AskRuntime,
  asking: ClientRequest,
  of: JobHeader,
): Promise<number | undefined> {
  const question = dialect.promptQuestion(asking, of);
  if (question === undefined) return undefined;
  return dialect.promptLength(await ask(question.path, question.body), ask, of);
}

const dialects = [vllmDialect, llamaCppDialect, sglangDialect, openAiDialect];

describe.each(dialects)('the dialect of $kind', (dialect) => {
  it('always asks for a stream with usage, of the model as the runtime names it', () => {
    expect(dialect.requestBody(request, header, options)).toMatchObject({
      model: 'runtime-name',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0,
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'required',
      response_format: { type: 'json_object' },
    });
  });

  it('passes the effort on', () => {
    const body = dialect.requestBody(request, { ...header, reasoning_effort: 'low' }, options);
    expect(JSON.stringify(body)).toContain('"reasoning_effort":"low"');
  });

  it('passes schemas on to the last digit', () => {
    const schema = '{"minimum":-9223372036854775808,"maximum":9223372036854775807,"const":0.5}';
    const long = readClientRequest(
      Buffer.from(
        `{"messages":[{"role":"user","content":"Hi"}],"seed":9223372036854775807,` +
          `"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}],` +
          `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}}`,
      ),
    );
    const body = JSON.stringify(dialect.requestBody(long, header, options));
    expect(body).toContain(`"parameters":${schema}`);
    expect(body).toContain(`"schema":${schema}`);
    expect(body).toContain('"seed":1024,');
  });
});

describe('a function that must be called', () => {
  const tools = ['f', 'g'].map((name) => ({ type: 'function', function: { name } }));
  const choice = { type: 'function', function: { name: 'g' } };
  const demanding = readClientRequest(
    Buffer.from(
      JSON.stringify({
        messages: [{ role: 'user', content: 'Hi' }],
        tools,
        tool_choice: { ...choice, other: 1 },
      }),
    ),
  );

  it.each([vllmDialect, sglangDialect, openAiDialect])('is named to $kind', (dialect) => {
    const body = dialect.requestBody(demanding, header, options);
    expect(body).toMatchObject({ tools, tool_choice: choice });
    expect(body['tool_choice']).toEqual(choice);
  });

  it('is the only one that llama.cpp hears of', async () => {
    expect(llamaCppDialect.requestBody(demanding, header, options)).toMatchObject({
      tools: [tools[1]],
      tool_choice: 'required',
    });
    const asked: JsonObject[] = [];
    await countPrompt(
      llamaCppDialect,
      (_, body) => {
        asked.push(body);
        return Promise.resolve({ prompt: '<s>Hi' });
      },
      demanding,
      header,
    );
    expect(asked[0]).toMatchObject({ tools: [tools[1]] });
  });
});

describe('vLLM', () => {
  const saltOf = (organization: string) =>
    vllmDialect.requestBody(request, { ...header, organization }, options)['cache_salt'];

  it('keeps the caches of organizations apart', () => {
    expect(saltOf('org-a')).toMatch(/^[\w-]{43}$/);
    expect(saltOf('org-a')).toBe(saltOf('org-a'));
    expect(saltOf('org-b')).not.toBe(saltOf('org-a'));
    expect(vllmDialect.separatesCaches).toBe(true);
  });

  it('gets earlier reasoning under the one name that every version reads', () => {
    expect(vllmDialect.requestBody(request, header, options)['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ho', reasoning: 'thought' },
    ]);
  });

  it('is told of a function without parameters that it has none', () => {
    const parameters = { type: 'object', properties: {} };
    expect(vllmDialect.requestBody(request, header, options)['tools']).toEqual([
      { type: 'function', function: { name: 'f', parameters } },
    ]);
  });

  it('counts a prompt with its template and tools', async () => {
    const asked: [string, JsonObject][] = [];
    const count = await countPrompt(
      vllmDialect,
      (path, body) => {
        asked.push([path, body]);
        return Promise.resolve({ count: 17, max_model_len: 100 });
      },
      request,
      header,
    );
    expect(count).toBe(17);
    expect(asked).toMatchObject([
      ['/tokenize', { model: 'runtime-name', tools: request.tools, add_generation_prompt: true }],
    ]);
    const { messages, tools } = vllmDialect.requestBody(request, header, options);
    expect(asked[0]?.[1]).toMatchObject({ messages, tools });
    expect(
      await countPrompt(vllmDialect, () => Promise.resolve(undefined), request, header),
    ).toBeUndefined();
  });
});

describe('llama.cpp', () => {
  it('reuses a cache only when organizations may share it', () => {
    expect(llamaCppDialect.requestBody(request, header, options)).toMatchObject({
      cache_prompt: false,
    });
    expect(
      llamaCppDialect.requestBody(request, header, { ...options, sharedCache: true }),
    ).toMatchObject({
      cache_prompt: true,
    });
  });

  it.each([
    ['none', { reasoning_effort: 'none', enable_thinking: false }],
    ['low', { reasoning_effort: 'low' }],
    ['extreme', { reasoning_effort: 'extreme' }],
  ])('has its template told of the effort %s', (effort, expected) => {
    const asking = { ...header, reasoning_effort: effort };
    const body = llamaCppDialect.requestBody(request, asking, options);
    expect(body['chat_template_kwargs']).toEqual(expected);
    expect(body).not.toHaveProperty('reasoning_effort');
  });

  it('hears of no bound of an integer that it cannot bear, wherever it is asked', async () => {
    const schema =
      '{"type":"integer","minimum":-9223372036854775808,"maximum":9007199254740991,"title":"t"}';
    const bounded = readClientRequest(
      Buffer.from(
        `{"messages":[],"tools":[{"function":{"name":"f","parameters":${schema}}}],` +
          `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}}`,
      ),
    );
    const asked: unknown[] = [llamaCppDialect.requestBody(bounded, header, options)];
    await countPrompt(
      llamaCppDialect,
      (_, body) => Promise.resolve(asked.push(body)),
      bounded,
      header,
    );
    const cut = { type: 'integer', title: 't' };
    const tools = [{ type: 'function', function: { name: 'f', parameters: cut } }];
    expect(asked).toEqual([
      expect.objectContaining({
        tools,
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: cut } },
      }),
      expect.objectContaining({ tools }),
    ]);
    expect(bounded.promisedSchema).toHaveProperty('maximum', Number.MAX_SAFE_INTEGER);
    const others = JSON.stringify(vllmDialect.requestBody(bounded, header, options));
    expect(others).toContain(`"schema":${schema}`);
  });

  it('is asked of the model that is meant, since it may serve several', async () => {
    const models: unknown[] = [];
    await countPrompt(
      llamaCppDialect,
      (_, body) => {
        models.push(body['model']);
        return Promise.resolve({ prompt: '<s>Hi' });
      },
      request,
      header,
    );
    expect(models).toEqual(['runtime-name', 'runtime-name']);
  });

  it('counts a prompt after its template', async () => {
    const answers: Record<string, unknown> = {
      '/apply-template': { prompt: '<s>Hi' },
      '/tokenize': { tokens: [1, 2, 3] },
    };
    expect(
      await countPrompt(llamaCppDialect, (path) => Promise.resolve(answers[path]), request, header),
    ).toBe(3);
    expect(
      await countPrompt(llamaCppDialect, () => Promise.resolve(undefined), request, header),
    ).toBeUndefined();
  });
});

describe('SGLang', () => {
  it('keeps the caches of organizations apart unless they may share one', () => {
    const saltOf = (organization: string, sharedCache = false) =>
      sglangDialect.requestBody(request, { ...header, organization }, { ...options, sharedCache })[
        'cache_salt'
      ];
    expect(saltOf('org-a')).toMatch(/^[\w-]{43}$/);
    expect(saltOf('org-b')).not.toBe(saltOf('org-a'));
    expect(saltOf('org-a', true)).toBeUndefined();
  });

  it('counts a prompt with all that its template is told', async () => {
    const asked: [string, JsonObject][] = [];
    const thinking = { ...header, reasoning_effort: 'max' };
    const count = await countPrompt(
      sglangDialect,
      (path, body) => {
        asked.push([path, body]);
        return Promise.resolve({ tokens: [1, 2, 3], count: 3, max_model_len: 100 });
      },
      request,
      thinking,
    );
    expect(count).toBe(3);
    const body = sglangDialect.requestBody(request, thinking, options);
    const { model, messages, tools, tool_choice, chat_template_kwargs } = body;
    expect(asked).toEqual([
      ['/tokenize', { model, messages, tools, tool_choice, chat_template_kwargs }],
    ]);
  });

  it.each([undefined, {}, { count: [3] }])(
    'counts nothing in a version that cannot: %j',
    async (answer) => {
      const count = countPrompt(sglangDialect, () => Promise.resolve(answer), request, header);
      expect(await count).toBeUndefined();
    },
  );

  it('is not believed about its cache: older versions pass over the salt', () => {
    expect(sglangDialect.separatesCaches).toBe(false);
  });
});

describe.each([vllmDialect, sglangDialect])('an effort for $kind', (dialect) => {
  const bodyFor = (effort: string) =>
    dialect.requestBody(request, { ...header, reasoning_effort: effort }, options);

  it.each(['xhigh', 'max', 'extreme'])(
    'that its own parameter does not know, %s, goes through the template, which is told to think',
    (effort) => {
      const body = bodyFor(effort);
      expect(body['chat_template_kwargs']).toEqual({
        reasoning_effort: effort,
        enable_thinking: true,
        thinking: true,
      });
      expect(body).not.toHaveProperty('reasoning_effort');
    },
  );

  it.each(['none', 'low', 'high'])('that its own parameter knows, %s, goes there', (effort) => {
    const body = bodyFor(effort);
    expect(body).toMatchObject({ reasoning_effort: effort });
    expect(body).not.toHaveProperty('chat_template_kwargs');
  });
});

it('a server that is only of the convention gets nothing beyond it', () => {
  expect(openAiDialect.requestBody(request, header, options)).not.toHaveProperty('cache_salt');
});
