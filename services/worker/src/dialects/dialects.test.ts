import type { JobHeader } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { jobHeaderOf } from '../attempt/job-header-fixture.ts';
import type { JsonObject } from '../json/json.ts';
import { readClientRequest, type ClientRequest } from './client-request.ts';
import type { AskRuntime, Dialect } from './dialect.ts';
import { llamaCppDialect } from './llama-cpp.ts';
import { openAiDialect } from './openai.ts';
import { sglangDialect } from './sglang.ts';
import { vllmDialect } from './vllm.ts';

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
const options = { sharedCache: false, priorities: false };

/** Counts a prompt like a run does: an answer may lead to another question. */
async function countPrompt(
  dialect: Dialect,
  ask: AskRuntime,
  asking: ClientRequest,
  of: JobHeader,
): Promise<number | undefined> {
  const question = dialect.promptLengthRequest(asking, of);
  if (question === undefined) return undefined;
  return dialect.promptLength(await ask(question.path, question.body), ask, of);
}

const dialects = [vllmDialect, llamaCppDialect, sglangDialect, openAiDialect];

describe.each(dialects)('the dialect of $kind', (dialect) => {
  it('always asks for a stream with usage, by the name that the runtime gives the model', () => {
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

  it('passes the reasoning effort', () => {
    const body = dialect.requestBody(request, { ...header, reasoning_effort: 'low' }, options);
    expect(JSON.stringify(body)).toContain('"reasoning_effort":"low"');
  });

  it('passes schemas without changing a digit', () => {
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

  it('is the only tool that is sent to llama.cpp', async () => {
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

  it('gets a different cache salt for each organization', () => {
    expect(saltOf('org-a')).toMatch(/^[\w-]{43}$/);
    expect(saltOf('org-a')).toBe(saltOf('org-a'));
    expect(saltOf('org-b')).not.toBe(saltOf('org-a'));
    expect(vllmDialect.separatesCaches).toBe(true);
  });

  it('gets earlier reasoning in the field that every version reads', () => {
    expect(vllmDialect.requestBody(request, header, options)['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ho', reasoning: 'thought' },
    ]);
  });

  it('gets an empty object of parameters for a function without parameters', () => {
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
  it('reuses a cache only if organizations may share it', () => {
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
  ])('gets the effort %s as an argument of its template', (effort, expected) => {
    const asking = { ...header, reasoning_effort: effort };
    const body = llamaCppDialect.requestBody(request, asking, options);
    expect(body['chat_template_kwargs']).toEqual(expected);
    expect(body).not.toHaveProperty('reasoning_effort');
  });

  it('gets no bounds of integers that are too large for it, in any request', async () => {
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

  it('gets the name of the model in every question, because it may serve several', async () => {
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

  it('counts a prompt after applying its template', async () => {
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

describe('the scheduling class', () => {
  const priorityOf = (dialect: Dialect, scheduling_class?: number, priorities = true) => {
    const of = { ...header, ...(scheduling_class !== undefined && { scheduling_class }) };
    return dialect.requestBody(request, of, { ...options, priorities })['priority'];
  };

  it('is the negative priority for vLLM, which handles lower values first', () => {
    expect([3, -2].map((number) => priorityOf(vllmDialect, number))).toEqual([-3, 2]);
    // vLLM's own default is 0.
    expect(priorityOf(vllmDialect)).toBeUndefined();
  });

  it('is the priority for SGLang, which handles requests without one last', () => {
    expect([3, -2, undefined].map((number) => priorityOf(sglangDialect, number))).toEqual([
      3, -2, 0,
    ]);
  });

  it('is not sent to other runtimes, nor without the setting', () => {
    for (const dialect of [llamaCppDialect, openAiDialect]) {
      expect(priorityOf(dialect, 3)).toBeUndefined();
    }
    for (const dialect of dialects) expect(priorityOf(dialect, 3, false)).toBeUndefined();
  });
});

describe('SGLang', () => {
  it('gets a cache salt unless organizations may share a cache', () => {
    const saltOf = (organization: string, sharedCache = false) =>
      sglangDialect.requestBody(request, { ...header, organization }, { ...options, sharedCache })[
        'cache_salt'
      ];
    expect(saltOf('org-a')).toMatch(/^[\w-]{43}$/);
    expect(saltOf('org-b')).not.toBe(saltOf('org-a'));
    expect(saltOf('org-a', true)).toBeUndefined();
  });

  it('counts a prompt with all arguments of its template', async () => {
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
    'counts nothing in a version that does not support it: %j',
    async (answer) => {
      const count = countPrompt(sglangDialect, () => Promise.resolve(answer), request, header);
      expect(await count).toBeUndefined();
    },
  );

  it('does not count as separating caches, because older versions ignore the salt', () => {
    expect(sglangDialect.separatesCaches).toBe(false);
  });
});

describe.each([vllmDialect, sglangDialect])('an effort for $kind', (dialect) => {
  const bodyFor = (effort: string) =>
    dialect.requestBody(request, { ...header, reasoning_effort: effort }, options);

  it.each(['xhigh', 'max', 'extreme'])(
    'that the runtime does not know, %s, is an argument of the template, with thinking enabled',
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

  it.each(['none', 'low', 'high'])('that the runtime knows, %s, is its own parameter', (effort) => {
    const body = bodyFor(effort);
    expect(body).toMatchObject({ reasoning_effort: effort });
    expect(body).not.toHaveProperty('chat_template_kwargs');
  });
});

it('an OpenAI-compatible server gets no fields beyond the OpenAI API', () => {
  expect(openAiDialect.requestBody(request, header, options)).not.toHaveProperty('cache_salt');
});
