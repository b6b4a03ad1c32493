import type { RequestListener } from 'node:http';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import type { RuntimeKind } from '../src/dialects/dialect.ts';
import { watched } from './watched-runtime.ts';

useLeakCheck();

/** The kind that is detected for a runtime whose models have this owner. */
function kindFound(owner: string, kind: RuntimeKind | 'auto'): Promise<RuntimeKind> {
  const answer: RequestListener = (request, response) => {
    response.statusCode = request.url === '/v1/models' ? 200 : 404;
    response.end(JSON.stringify({ data: [{ id: 'm', owned_by: owner }] }));
  };
  return watched(answer, kind, async (supervisor) => {
    await waitUntil(() => supervisor.up, { what: 'the runtime to be found' });
    return supervisor.state.dialect.kind;
  });
}

describe('the kind of a runtime', () => {
  it.each([
    ['vllm', 'vllm'],
    ['vllm-frontend-rs', 'vllm'],
    ['llamacpp', 'llama.cpp'],
    ['sglang', 'sglang'],
    ['somebody', 'openai'],
    ['vllm-mlx', 'openai'],
  ])('is detected by the owner of its models: %s is %s', async (owner, kind) => {
    expect(await kindFound(owner, 'auto')).toBe(kind);
  });

  it('is that of the setting, even if the models have another owner', async () => {
    expect(await kindFound('vllm', 'openai')).toBe('openai');
  });
});

it('a llama.cpp server is down until its model is loaded, and then has its own slots', async () => {
  let isLoading = true;
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    response.statusCode = isLoading && path !== '/v1/models' ? 503 : 200;
    const answers: Record<string, object> = {
      '/v1/models': { data: [{ id: 'm', owned_by: 'llamacpp' }] },
      '/health': { status: 'ok' },
      '/props': { total_slots: 3 },
    };
    const loading = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } };
    response.end(JSON.stringify(response.statusCode === 503 ? loading : answers[path]));
  };
  await watched(answer, 'auto', async (supervisor) => {
    const looks = () => asked.filter((path) => path === '/v1/models').length;
    await waitUntil(() => looks() >= 3, { what: 'three looks' });
    expect(supervisor.up).toBe(false);
    isLoading = false;
    await waitUntil(() => supervisor.up, { what: 'the runtime to be found' });
    expect(supervisor.state).toMatchObject({ models: ['m'], slots: 3 });

    // Restarted between two probes.
    isLoading = true;
    await waitUntil(() => !supervisor.up, { what: 'the loading to be noticed', timeoutMs: 10_000 });
  });
});

it('logs once that a runtime refuses the key, without its text', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'worker', level: 'info', destination });
  let asked = 0;
  const answer: RequestListener = (_request, response) => {
    asked += 1;
    // The last probe is cut off by the end of the test, which is not logged.
    if (asked < 4) response.writeHead(401).end('{"error":"the key was hush"}');
  };
  const look = () => waitUntil(() => asked >= 4, { what: 'four looks', timeoutMs: 10_000 });
  await watched(answer, 'auto', look, { logger });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      level: 'warn',
      reason: 'upstream_credentials_rejected',
      status: 401,
      msg: 'the runtime cannot be used',
    }),
  ]);
  expect(lines.join('')).not.toContain('hush');
});

it('logs each reason for which a runtime cannot be used, once in an outage', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'worker', level: 'warn', destination });
  const reasons = () => lines.map((line) => (JSON.parse(line) as { reason: string }).reason);
  let asked = 0;
  let status = 500;
  const answer: RequestListener = (_request, response) => {
    asked += 1;
    response.statusCode = status;
    response.end(JSON.stringify({ data: [{ id: 'm', owned_by: 'somebody' }] }));
  };
  const looks = (count: number) => {
    const until = asked + count;
    return waitUntil(() => asked >= until, { what: `${count} looks`, timeoutMs: 10_000 });
  };
  await watched(
    answer,
    'openai',
    async (supervisor) => {
      await looks(3);
      for (status of [401, 500, 401]) await looks(3);
      const both = ['upstream_unavailable', 'upstream_credentials_rejected'];
      expect(reasons()).toEqual(both);

      status = 200;
      await waitUntil(() => supervisor.up, { what: 'the runtime to be found' });
      status = 401;
      supervisor.probe();
      await waitUntil(() => !supervisor.up, { what: 'the runtime to be down' });
      expect(reasons()).toEqual([...both, 'upstream_credentials_rejected']);
    },
    { logger },
  );
});

it('a runtime stays up if single probes fail, and goes down after two in a row', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'worker', level: 'info', destination });
  let seen = 0;
  let toMiss = 0;
  const answer: RequestListener = (_request, response) => {
    response.statusCode = toMiss > 0 ? 500 : 200;
    toMiss -= 1;
    response.end(JSON.stringify({ data: [{ id: 'm', owned_by: 'somebody' }] }));
  };
  await watched(
    answer,
    'openai',
    async (supervisor) => {
      await waitUntil(() => supervisor.up, { what: 'the runtime to be found' });
      for (let time = 0; time < 3; time += 1) {
        const before = seen;
        toMiss = 1;
        supervisor.probe();
        // The failed probe does not count, and the next one follows soon.
        await waitUntil(() => seen > before, { what: 'the next probe' });
      }
      expect(lines).toHaveLength(1);
      toMiss = 2;
      supervisor.probe();
      await waitUntil(() => !supervisor.up, { what: 'the runtime to be down' });
    },
    { logger, onProbe: () => void (seen += 1) },
  );
});
