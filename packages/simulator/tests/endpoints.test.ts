import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, simulatedAnswer, startSimulator } from '../src/index.ts';
import { askStreamed, askWhole, parseEvents, post, question } from './ask.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ apiKey: 'right' });
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
});

const key = { authorization: 'Bearer right' };
const get = (path: string, headers: Record<string, string> = key) =>
  fetch(`${simulator.url}${path}`, { headers });

test('the models are listed as vLLM lists them', async () => {
  const response = await get('/v1/models');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    object: 'list',
    data: [
      { id: 'sluice-demo', object: 'model', owned_by: 'vllm', max_model_len: 262_144 },
      { id: 'sluice-small', max_model_len: 262_144 },
      { id: 'sluice-strict', max_model_len: 262_144 },
    ],
  });
});

describe('a key', () => {
  test.each([{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic right' }])(
    'that is wrong is refused in the format of vLLM: %o',
    async (headers: Record<string, string>) => {
      for (const response of [
        await get('/v1/models', headers),
        await post(simulator, question('x'), { headers }),
      ]) {
        expect(response.status).toBe(401);
        expect(await response.json()).toEqual({ error: 'Unauthorized' });
      }
    },
  );

  test('is not needed for paths for which vLLM needs none', async () => {
    for (const path of ['/health', '/version', '/metrics', '/sim/state']) {
      expect((await get(path, {})).status).toBe(200);
    }
  });

  test('that is right is accepted', async () => {
    const response = await post(simulator, question('x'), {
      headers: { authorization: 'bearer right' },
    });
    expect(response.status).toBe(200);
  });
});

test('unknown paths and methods get error objects', async () => {
  const missing = await get('/v1/nothing');
  expect(missing.status).toBe(404);
  expect(await missing.json()).toEqual({
    error: { message: 'Not Found', type: 'NotFoundError', param: null, code: 404 },
  });
  expect((await get('/v1/chat/completions')).status).toBe(405);
});

test.each([
  ['{', 'application/json', 400, 'JSON decode error'],
  ['{}', 'text/plain', 400, 'Unsupported Media Type'],
  ['{}', 'application/json; charset=utf-8', 400, 'body.messages'],
])('a body that cannot be read is refused: %s as %s', async (body, type, status, message) => {
  const response = await post(simulator, body, { headers: { ...key, 'content-type': type } });
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(message);
});

test('a body without end is refused before it fills the memory', async () => {
  const body = `{"model":"${'x'.repeat(64 * 1024 * 1024)}"}`;
  const response = await post(simulator, body, { headers: key });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: { code: 413, type: 'Payload Too Large' } });
});

test('a status of the @sim line has an error body', async () => {
  const response = await post(simulator, question('x', { status: 503 }), { headers: key });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    error: { type: 'Service Unavailable', code: 503 },
  });
});

test('a prompt that is too long is refused before any stream starts', async () => {
  const body = question('word '.repeat(270_000), {}, { model: 'sluice-small', stream: true });
  const response = await post(simulator, body, { headers: key });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { type: 'BadRequestError', param: 'input_tokens', code: 400 },
  });
});

describe('counting', () => {
  const tokenizeAt = async (body: unknown) => {
    const response = await post(simulator, body, { path: '/tokenize' });
    return (await response.json()) as { count: number; max_model_len: number; tokens: number[] };
  };

  test('a chat counts what its completion reports', async () => {
    const tools = [
      { type: 'function', function: { name: 'clock', parameters: { type: 'object' } } },
    ];
    const body = question('How high is the water?', {}, { tools });
    const counted = await tokenizeAt(body);
    expect(counted.count).toBe(simulatedAnswer(body).promptTokens);
    expect(counted.tokens).toHaveLength(counted.count);
    expect(counted.max_model_len).toBe(262_144);
  });

  test('a text counts its own tokens', async () => {
    expect(await tokenizeAt({ model: 'sluice-small', prompt: 'the old mill' })).toMatchObject({
      count: 3,
      max_model_len: 262_144,
    });
  });

  test('a body that cannot be counted is refused', async () => {
    expect((await post(simulator, { prompt: 'x', model: 'y' }, { path: '/tokenize' })).status).toBe(
      404,
    );
    expect((await post(simulator, {}, { path: '/tokenize' })).status).toBe(400);
  });
});

test('the metrics have vLLM’s names and our own, with a line for each model', async () => {
  await using counted = await startSimulator({
    models: [{ name: 'a"b', reasoning: false, contextLength: 99 }],
  });
  await askWhole(counted, question('x', { tokens: 3 }, { model: 'a"b' }));
  const page = await (await fetch(`${counted.url}/metrics`)).text();
  const labels = String.raw`{engine="0",model_name="a\"b"}`;
  for (const name of [
    'num_requests_running',
    'num_requests_waiting',
    'kv_cache_usage_perc',
    'gpu_cache_usage_perc',
  ]) {
    expect(page).toContain(`vllm:${name}${labels} 0\n`);
  }
  expect(page).toContain('# TYPE vllm:num_requests_running gauge');
  expect(page).toContain('vllm:generation_tokens_total 3\n');
  expect(page).toContain('sim:finished_total 1\n');
  for (const line of page.trimEnd().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) .+|[a-z:_]+(\{.+\})? \d+(\.\d+)?)$/);
  }
});

/** Sends raw bytes and reads until the server closes the connection or the text is complete. */
async function raw(payload: string, complete: (text: string) => boolean): Promise<string> {
  const { port, hostname } = new URL(simulator.url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname, () => socket.write(payload));
  let text = '';
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1');
    if (complete(text)) resolve(text);
  });
  socket.on('end', () => resolve(text));
  socket.on('error', reject);
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

function rawRequest(body: unknown, version: '1.0' | '1.1'): string {
  const json = JSON.stringify(body);
  return (
    `POST /v1/chat/completions HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer right\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
  );
}

describe('unusual connections', () => {
  const streamed = (words: string) =>
    question(words, { tokens: 40, reasoning: 0 }, { stream: true, model: 'sluice-small' });
  const ends = (text: string) => text.split('data: [DONE]\n\n').length - 1;

  test('pipelined requests are answered in order', async () => {
    const payload = rawRequest(streamed('one'), '1.1') + rawRequest(streamed('two'), '1.1');
    const text = await raw(payload, (so) => ends(so) === 2 && so.endsWith('0\r\n\r\n'));
    const [first = '', second = ''] = text.split('HTTP/1.1 200 OK').slice(1);
    expect(ends(first)).toBe(1);
    expect(ends(second)).toBe(1);
  });

  test('a client of HTTP 1.0 gets a body without chunks', async () => {
    const text = await raw(rawRequest(streamed('one'), '1.0'), () => false);
    const [head = '', body = ''] = text.split('\r\n\r\n', 2);
    expect(head).not.toContain('chunked');
    const events = parseEvents(Buffer.from(body, 'latin1').toString());
    expect(events).toHaveLength(43);
    expect(events.at(-1)?.data).toBe('[DONE]');
  });
});

test('a disposed simulator releases its port and ends its streams', async () => {
  const short = await startSimulator();
  const response = await post(short, question('x', { stall_after: 1 }, { stream: true }));
  const reading = response.text().then(
    () => 'whole',
    () => 'broken',
  );
  await short[Symbol.asyncDispose]();
  expect(await reading).toBe('broken');
  await expect(fetch(`${short.url}/health`)).rejects.toThrow('fetch failed');
});

test('a port in use is an error', async () => {
  const port = Number(new URL(simulator.url).port);
  await expect(startSimulator({ port })).rejects.toThrow('EADDRINUSE');
});

test('an answer is the same from every simulator', async () => {
  await using one = await startSimulator();
  await using other = await startSimulator();
  const body = question('same?', { tokens: 30 });
  expect((await askStreamed(one, body)).content).toBe((await askStreamed(other, body)).content);
});
