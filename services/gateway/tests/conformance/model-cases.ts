// oxlint-disable vitest/no-standalone-expect -- rows of a table, which run inside of tests
import { Model, ModelList } from '@sluice/contracts';
import { expect } from 'vitest';
import type { Case, CaseGroup } from './case.ts';
import { REQUEST_TRIOS, expectError, rateLimitNames } from './expectations.ts';
import { BARE_MODEL, GONE_MODEL, REASONING_MODEL, SMALL_MODEL, type World } from './world.ts';

const LIMITS = {
  requests_per_minute: 1_000,
  requests_per_day: 10_000,
  tokens_per_minute: 100_000,
  tokens_per_day: 1_000_000,
};

function foundAs(path: string): Case {
  return {
    title: `a model is found as ${path}`,
    proves: ['I12', 'D68', 'I76'],
    run: async (world) => {
      const reply = await world.request(`/models/${path}`);
      expect(reply.status).toBe(200);
      expect(Model.parse(await reply.json()).id).toBe(SMALL_MODEL);
    },
  };
}

function notFoundAs(path: string): Case {
  return {
    title: `no model is found as ${path}`,
    proves: ['I77', 'D68'],
    run: async (world) => {
      const reply = await world.request(`/models/${path}`);
      await expectError(reply, {
        status: 404,
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
      });
    },
  };
}

async function listed(world: World, id: string): Promise<Model | undefined> {
  const reply = await world.request('/models');
  return ModelList.parse(await reply.json()).data.find((model) => model.id === id);
}

const models: Case[] = [
  ...['suite/small', 'suite%2Fsmall', 'suite%2fsmall', '%73uite/small', 'suite/small?x=y'].map(
    foundAs,
  ),
  ...[
    'suite%252Fsmall',
    'suite/small/',
    'Suite/small',
    'nobody',
    '%zz',
    '%',
    'a%00b',
    '__proto__',
    'constructor',
  ].map(notFoundAs),
  {
    title: 'the list has the shape of the interface, and requests-only headers',
    proves: ['I11', 'I17', 'I75', 'I64', 'I1'],
    run: async (world) => {
      const { key: credential } = await world.tenant({ plan: { limits: LIMITS } });
      const reply = await world.request('/models', { credential });
      expect(reply.status).toBe(200);
      expect(ModelList.parse(await reply.json()).data.length).toBeGreaterThan(3);
      expect(rateLimitNames(reply)).toEqual(REQUEST_TRIOS);
    },
  },
  {
    title: 'what a model announces is in its description',
    proves: ['I13', 'I15', 'I16'],
    run: async (world) => {
      expect(await listed(world, SMALL_MODEL)).toEqual({
        id: SMALL_MODEL,
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'suite',
        shutdown_date: '2999-12-31',
        context_length: 2_000,
        max_output_tokens: 1_000,
        default_parameters: { max_tokens: 500 },
        reasoning: { supported_efforts: ['low', 'high'], default_effort: 'low', mandatory: false },
      });
    },
  },
  {
    title: 'what a model does not announce is left out',
    proves: ['I13', 'I14', 'I16'],
    run: async (world) => {
      expect(await listed(world, BARE_MODEL)).toEqual({
        id: BARE_MODEL,
        object: 'model',
        created: 0,
        owned_by: 'suite',
        shutdown_date: null,
      });
    },
  },
  {
    title: 'one model has the same fields as in the list',
    proves: ['I76', 'I1'],
    run: async (world) => {
      const reply = await world.request(`/models/${REASONING_MODEL}`);
      expect(await reply.json()).toEqual(await listed(world, REASONING_MODEL));
    },
  },
  {
    title: 'a model past its shutdown date is gone',
    proves: ['D67'],
    run: async (world) => {
      expect(await listed(world, GONE_MODEL)).toBeUndefined();
      expect((await world.request(`/models/${GONE_MODEL}`)).status).toBe(404);
      await expectError(await world.complete({ model: GONE_MODEL }), {
        status: 404,
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
      });
    },
  },
  ...['/models', '/models/suite/small', '/models/nobody', '/nothing'].map((path): Case => ({
    title: `HEAD ${path} answers as GET does`,
    proves: ['D6'],
    run: async (world) => {
      const get = await world.request(path);
      const head = await world.request(path, { method: 'HEAD' });
      expect(head.status).toBe(get.status);
      expect(await head.text()).toBe('');
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
      await get.text();
    },
  })),
];

export const modelCases: CaseGroup[] = [{ section: 'models', cases: models }];
