import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CommandFailure } from '../command.ts';
import { readRuntimeModels } from './runtime-models.ts';

/** Starts a runtime that answers every request in the same way, and returns its URL. */
async function runtime(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? String(address?.port) : ''}`;
}

const list = (...data: object[]) => JSON.stringify({ object: 'list', data });

test('each model is read once, with its known fields', async () => {
  const first = await runtime((_request, response) =>
    response.end(list({ id: 'a', max_model_len: 4096 }, { id: 'b' })),
  );
  const second = await runtime((_request, response) =>
    response.end(list({ id: 'b', max_model_len: null })),
  );
  expect(await readRuntimeModels([first, second], undefined)).toEqual([
    { id: 'a', contextLength: 4096 },
    { id: 'b', contextLength: undefined },
  ]);
});

test('an address may end in /v1, and the runtime gets its key', async () => {
  const seen: unknown[] = [];
  const url = await runtime((request, response) => {
    seen.push([request.url, request.headers.authorization]);
    response.end(list({ id: 'a' }));
  });
  await readRuntimeModels([url, `${url}/`, `${url}/v1`, `${url}/v1/`], 'secret');
  expect(new Set(seen.map(String))).toEqual(new Set(['/v1/models,Bearer secret']));
});

test.each([
  ['refuses', 401, '', 'it answered with status 401'],
  ['talks nonsense', 200, '{"models":[]}', 'its list of models cannot be understood'],
  ['serves nothing', 200, list(), 'it serves no model'],
])('a runtime that %s is named with the reason', async (_what, status, body, reason) => {
  const url = await runtime((_request, response) => response.writeHead(status).end(body));
  const reading = readRuntimeModels([url], undefined);
  await expect(reading).rejects.toThrow(CommandFailure);
  await expect(reading).rejects.toThrow(`the runtime at ${url} cannot be used: ${reason}`);
});

test('a runtime that answers at none of its addresses is reported as not answering', async () => {
  const cause = new AggregateError([new Error('connect ECONNREFUSED ::1:8000')], '');
  const asked = vi
    .spyOn(globalThis, 'fetch')
    .mockRejectedValue(new TypeError('fetch failed', { cause }));
  onTestFinished(() => asked.mockRestore());
  await expect(readRuntimeModels(['http://localhost:8000'], undefined)).rejects.toThrow(
    'the runtime at http://localhost:8000 cannot be used: it does not answer',
  );
});

test('the error for a key that cannot be sent does not repeat the key', async () => {
  const reading = readRuntimeModels(['http://127.0.0.1:9'], 'hush\nhush');
  await expect(reading).rejects.toThrow(
    'the runtime at http://127.0.0.1:9 cannot be used: it cannot be asked',
  );
});

describe('a name that the catalog cannot hold', () => {
  const name = '/models/My Model Q4.gguf';
  const fault =
    'the name of its model "/models/My Model Q4.gguf" must be 1 to 256 characters without spaces or control ' +
    'characters; give it another with --served-model-name (vLLM) or --alias (llama.cpp)';

  test('is refused, with advice', async () => {
    const url = await runtime((_request, response) => response.end(list({ id: name })));
    const reading = readRuntimeModels([url], undefined);
    await expect(reading).rejects.toThrow(CommandFailure);
    await expect(reading).rejects.toThrow(`the runtime at ${url} cannot be used: ${fault}`);
  });

  test('is left out if the runtime has other models, and reported', async () => {
    const url = await runtime((_request, response) =>
      response.end(list({ id: name }, { id: 'good' })),
    );
    const said: string[] = [];
    const models = await readRuntimeModels([url], undefined, (line) => said.push(line));
    expect(models).toEqual([{ id: 'good', contextLength: undefined }]);
    expect(said).toEqual([`  the runtime at ${url} has a model that is left out: ${fault}`]);
  });
});
