// oxlint-disable vitest/no-standalone-expect -- rows of a table, which run inside of tests
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { eventsOf } from '../event-stream-reader.ts';
import type { Case, CaseGroup } from './case.ts';
import { SHORT, type World } from './world.ts';

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly headers?: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: object }>
  >;
}

interface Operation {
  readonly responses: Readonly<Record<string, Described>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const DOCUMENT = 'https://sluice.example/openapi.json';

/** Checks the status, headers and body of a reply against the served document. */
async function expectDescribed(world: World, operation: string, reply: Response): Promise<void> {
  const document = (await (await fetch(`${world.stack.baseUrl}/openapi.json`)).json()) as Document;
  const [method = '', path = ''] = operation.split(' ');
  const described = document.paths[path]?.[method]?.responses[String(reply.status)];
  if (described === undefined) throw new Error(`${operation} has no ${reply.status}`);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, DOCUMENT);
  for (const [name, { required, schema }] of Object.entries(described.headers ?? {})) {
    const text = reply.headers.get(name);
    if (text === null) {
      expect([name, required ?? false]).toEqual([name, false]);
      continue;
    }
    const isNumber = (schema as { type?: string }).type === 'integer';
    expect([name, ajv.validate(schema, isNumber ? Number(text) : text)]).toEqual([name, true]);
  }
  const known = new Set(Object.keys(described.headers ?? {}));
  const ours = [...reply.headers.keys()].filter((name) => /^(x-|retry|service-)/.test(name));
  expect(ours.filter((name) => !known.has(name) && name !== 'x-accel-buffering')).toEqual([]);
  await expectDescribedBody(ajv, described, reply);
}

async function expectDescribedBody(
  ajv: Ajv2020,
  { content }: Described,
  reply: Response,
): Promise<void> {
  const mediaType = reply.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const schema = content?.[mediaType]?.schema as { $ref: string } | undefined;
  if (schema === undefined) throw new Error(`${mediaType} is not described`);
  const validate = ajv.compile({ $ref: `${DOCUMENT}${schema.$ref}` });
  const text = await reply.text();
  const values = mediaType === 'text/event-stream' ? eventsOf(text).slice(0, -1) : [text];
  for (const value of values) {
    expect([validate(JSON.parse(value)), validate.errors]).toEqual([true, null]);
  }
}

const LIST = 'get /models';
const ONE = 'get /models/{model}';
const COMPLETE = 'post /chat/completions';

type Made = (world: World) => Promise<Response>;

async function limited(world: World): Promise<Response> {
  const limits = {
    requests_per_minute: 1,
    requests_per_day: 9,
    tokens_per_minute: 999,
    tokens_per_day: 9_999,
  };
  const { key } = await world.tenant({ plan: { limits } });
  await (await world.complete({}, key)).text();
  return world.complete({}, key);
}

const rows: readonly (readonly [string, number, Made])[] = [
  [LIST, 200, (world) => world.request('/models')],
  [LIST, 401, (world) => world.request('/models', { credential: null })],
  [ONE, 200, (world) => world.request('/models/suite/small')],
  [ONE, 404, (world) => world.request('/models/nobody')],
  [COMPLETE, 200, (world) => world.complete()],
  [
    COMPLETE,
    200,
    (world) =>
      world.complete({
        model: 'sluice-demo',
        stream: true,
        stream_options: { include_usage: true },
      }),
  ],
  [COMPLETE, 400, (world) => world.complete({ temperature: 9 })],
  [COMPLETE, 401, (world) => world.complete({}, 'sk-wrong')],
  [
    COMPLETE,
    402,
    async (world) =>
      world.complete({}, (await world.tenant({ organization: { billing: 'exhausted' } })).key),
  ],
  [
    COMPLETE,
    403,
    async (world) => world.complete({}, (await world.tenant({ inactive: true })).key),
  ],
  [COMPLETE, 404, (world) => world.complete({ model: 'nobody' })],
  [
    COMPLETE,
    409,
    async (world) =>
      world.complete({}, (await world.tenant({ organization: { billing: 'conflict' } })).key),
  ],
  [COMPLETE, 413, (world) => world.send(' '.repeat(4_194_305))],
  [COMPLETE, 415, (world) => world.request('/chat/completions', { method: 'POST', body: SHORT })],
  [COMPLETE, 429, limited],
  [
    COMPLETE,
    502,
    (world) => world.complete({ messages: [{ role: 'user', content: 'x\n@sim {"status": 500}' }] }),
  ],
  [COMPLETE, 503, (world) => world.complete({ model: 'suite/lonely' })],
];

export const openApiCases: CaseGroup[] = [
  {
    section: 'the interface description',
    cases: rows.map(([operation, status, make], index): Case => ({
      title: `row ${index + 1}: a ${status} of ${operation} is as described`,
      proves: ['I107'],
      run: async (world) => {
        const reply = await make(world);
        expect(reply.status).toBe(status);
        await expectDescribed(world, operation, reply);
      },
    })),
  },
];
