import { CatalogModel } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ModelList } from '../src/access/model-list.ts';
import { DirectExaminer, type BodyExaminer } from '../src/request/body-examiner.ts';
import type { Examination } from '../src/request/examine-request.ts';
import { ThreadedExaminer } from '../src/request/examiner-pool.ts';

const midnight = Date.UTC(2026, 2, 1);
let nowMs = midnight;
const wallClock = () => nowMs;
const direct = new DirectExaminer(wallClock);
const threaded = new ThreadedExaminer({
  direct,
  directLimitBytes: 0,
  wallClock,
  logger: createLogger({ service: 'test', level: 'silent' }),
  threads: 1,
  limitMs: 60_000,
  heapMebibytes: 256,
});
beforeEach(() => void (nowMs = midnight));
afterAll(() => threaded[Symbol.asyncDispose]());

function modelOf(id: string, change: object = {}): CatalogModel {
  return CatalogModel.parse({
    id,
    owned_by: 'acme',
    pool: 'default',
    runtime_model: id,
    context_length: 100_000,
    ...change,
  });
}

const modelList = new ModelList([
  modelOf('large'),
  modelOf('small', { context_length: 10 }),
  modelOf('goes', { shutdown_date: '2026-03-01' }),
]);

function bodyOf(model: string, change: object = {}): string {
  const messages = [{ role: 'user', content: 'Hi' }];
  return JSON.stringify({ model, messages, ...change });
}

async function examine(
  examiner: BodyExaminer,
  body: string,
  from: ModelList | null = modelList,
): Promise<Examination> {
  const context = { organization: 'acme', modelList: from ?? undefined };
  return (await examiner.examine(Buffer.from(body), context)).examination;
}

describe('a thread gives the same result as the direct examination', () => {
  test.each([
    ['a body that is not JSON', bodyOf('large').slice(1), 'malformed_body'],
    ['a fault before its unknown model', bodyOf('unknown', { seed: 'a' }), 'invalid_value'],
    ['an unknown model', bodyOf('unknown'), 'model_not_found'],
    ['a model that shut down today', bodyOf('goes'), 'model_not_found'],
    ['too much for its model', bodyOf('small', { max_tokens: 10 }), 'context_length_exceeded'],
    ['no fault', bodyOf('large'), undefined],
  ])('%s', async (_case, body, code) => {
    const examination = await examine(threaded, body);
    expect(examination).toEqual(await examine(direct, body));
    expect(examination.ok ? undefined : examination.fault.code).toBe(code);
  });

  test.each([
    ['a fault of the body while the catalog is unreachable', bodyOf('large', { seed: 'a' })],
    ['an unreachable catalog', bodyOf('large')],
  ])('%s', async (_case, body) => {
    expect(await examine(threaded, body, null)).toEqual(await examine(direct, body, null));
  });
});

test('the availability of a model is checked when the thread gets the body', async () => {
  await examine(threaded, bodyOf('large'));
  nowMs = midnight - 1;
  const examined = examine(threaded, bodyOf('goes'));
  // Wait until the thread has the body.
  await new Promise((resolve) => setImmediate(resolve));
  nowMs = midnight;
  await expect(examined).resolves.toMatchObject({ ok: true });
});

test('only the model that the body names is copied to the thread', async () => {
  const others = Array.from({ length: 3 }, (_, index) =>
    Object.assign(modelOf(`other-${index}`), { cannotBeCopied: () => undefined }),
  );
  const many = new ModelList([...others, modelOf('large')]);
  await expect(examine(threaded, bodyOf('large'), many)).resolves.toMatchObject({ ok: true });
});
