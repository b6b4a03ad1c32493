import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connectBus } from '@sluice/bus';
import { subjectsUnder } from '@sluice/contracts';
import { startStack, useLeakCheck, waitUntil, type TestStack } from '@sluice/devkit';
import { connectCatalogAdmin } from '@sluice/rpc';
import { METRICS, createLogger, type MetricName } from '@sluice/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MetricsCollector } from './metrics-collector.ts';
import { createTenant } from './tenant.ts';

useLeakCheck({ timeoutMs: 10_000 });

/** A marker in every prompt and answer of this file, and in the name of a tenant. */
const MARK = 'zeppelin-91c4';

let collector: MetricsCollector;
let stack: TestStack;

beforeAll(async () => {
  collector = await MetricsCollector.start();
  stack = await startStack({
    environment: {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRIC_EXPORT_INTERVAL: '300',
      STALL_TIMEOUT_MS: '1000',
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

function total(name: MetricName, attributes: Readonly<Record<string, string>> = {}): number {
  return collector.total(name, attributes);
}

async function reaches(
  wanted: number,
  name: MetricName,
  attributes: Readonly<Record<string, string>> = {},
): Promise<void> {
  await waitUntil(() => total(name, attributes) >= wanted, {
    what: `${name} ${JSON.stringify(attributes)} to be ${wanted}`,
    timeoutMs: 20_000,
  });
  expect(total(name, attributes)).toBe(wanted);
}

interface Asking {
  readonly body?: object;
  readonly sim?: object;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

function ask({ body, sim, key = stack.apiKey, signal }: Asking = {}): Promise<Response> {
  const content = sim === undefined ? MARK : `${MARK}\n@sim ${JSON.stringify(sim)}`;
  return fetch(`${stack.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sluice-small',
      messages: [{ role: 'user', content }],
      ...body,
    }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Sends bytes that are not HTTP. */
async function sendNonsense(): Promise<void> {
  const { hostname, port } = new URL(stack.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.end('nonsense\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
}

const model = 'sluice-small';

describe('a stack whose metrics are exported', () => {
  test('counts requests by their outcome, and measures the estimate', async () => {
    const whole = await ask();
    expect(whole.status).toBe(200);
    await whole.text();
    const streamed = await ask({ body: { stream: true } });
    expect(await streamed.text()).toContain('[DONE]');
    expect((await ask({ key: 'sk-nonsense' })).status).toBe(401);
    const completed = { operation: 'completions', outcome: 'completed', status: '200', model };
    await reaches(2, 'sluice.gateway.requests', { ...completed, code: 'none' });
    await reaches(1, 'sluice.gateway.requests', { status: '401', code: 'invalid_api_key' });
    await sendNonsense();
    await reaches(1, 'sluice.gateway.requests', { status: '400', code: 'malformed_request' });
    await reaches(2, 'sluice.gateway.input_estimate.ratio', { model });
    await reaches(1, 'sluice.gateway.first_token.duration', { model });
    await reaches(2, 'sluice.gateway.attempts', { end: 'finished' });
    await reaches(2, 'sluice.worker.attempts', { end: 'finished', stage: 'running', model });
    await reaches(2, 'sluice.worker.jobs', { answer: 'accepted' });
    expect(total('sluice.gateway.tokens', { kind: 'output', model })).toBeGreaterThan(2);
    expect(total('sluice.worker.slots')).toBeGreaterThan(0);
    expect(total('sluice.gateway.workers')).toBe(1);
    expect(total('sluice.catalog.entries', { kind: 'models' })).toBe(3);
    expect(total('sluice.catalog.live')).toBe(1);
    expect(total('sluice.quota.store.usable')).toBe(1);
  });

  test('counts admissions by their decision and the limit that refused', async () => {
    const tenant = await createTenant(stack, MARK, { requests_per_minute: 1 });
    const before = total('sluice.gateway.admissions', { outcome: 'admitted' });
    const [first, second] = [await ask({ key: tenant.key }), await ask({ key: tenant.key })];
    expect([first.status, second.status]).toEqual([200, 429]);
    await first.text();
    await reaches(1, 'sluice.gateway.admissions', {
      outcome: 'refused',
      limit: 'requests_per_minute',
    });
    await reaches(before + 1, 'sluice.gateway.admissions', { outcome: 'admitted', limit: 'none' });
    await reaches(1, 'sluice.quota.decisions', { outcome: 'refused' });
    await reaches(1, 'sluice.gateway.requests', {
      outcome: 'refused',
      code: 'rate_limit_exceeded',
    });
    // One from the first start, one from this test.
    await reaches(2, 'sluice.catalog.changes', { kind: 'organizations', action: 'create' });
  });

  test('counts admin calls without a valid token', async () => {
    await using stranger = connectCatalogAdmin({ address: stack.adminAddress, token: 'guessed' });
    await expect(stranger.listAudit({})).rejects.toMatchObject({ code: 'unauthenticated' });
    await reaches(1, 'sluice.catalog.admin_refusals');
  });

  test('counts replies that do not keep to their requests', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
    const differing = await ask({ body: { response_format: format }, sim: { text: MARK } });
    expect(differing.status).toBe(502);
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: {} } }];
    const noJson = await ask({
      body: { tools },
      sim: { tool: 'look_up', arguments: `{"${MARK}` },
    });
    expect(noJson.status).toBe(502);
    // Each request was tried twice.
    await reaches(2, 'sluice.worker.reply_faults', { fault: 'schema_differs', model });
    await reaches(2, 'sluice.worker.reply_faults', { fault: 'arguments_not_json', model });
    await reaches(4, 'sluice.worker.attempts', { end: 'failed', reason: 'invalid_output' });
  });

  test('shows a stream while it is open, and a generation that was cancelled', async () => {
    const leaving = new AbortController();
    const sim = { tokens: 5_000, itl_ms: 100 };
    const reply = await ask({ body: { stream: true }, sim, signal: leaving.signal });
    const reader = reply.body?.getReader();
    await reader?.read();
    await reaches(1, 'sluice.gateway.open_streams');
    await reaches(1, 'sluice.worker.running');
    leaving.abort();
    await reaches(1, 'sluice.worker.attempts', { end: 'abandoned', reason: 'cancelled', model });
    await reaches(1, 'sluice.gateway.requests', { outcome: 'cancelled', model });
    const open = () => [total('sluice.gateway.open_streams'), total('sluice.worker.running')];
    await waitUntil(() => open().every((gauge) => gauge === 0), {
      what: 'the gauges to fall',
      timeoutMs: 20_000,
    });
    expect(open()).toEqual([0, 0]);
  });

  test('counts a runtime that stalls', async () => {
    const reply = await ask({ sim: { stall_after: 2 } });
    expect(reply.status).toBe(502);
    await reply.text();
    await reaches(1, 'sluice.worker.stalls', { stage: 'between_words', model });
  });

  test('counts requests for a model that no worker serves', async () => {
    await using admin = connectCatalogAdmin({
      address: stack.adminAddress,
      token: stack.adminToken,
    });
    const unserved = { id: 'unserved', owned_by: 'test', pool: 'elsewhere', runtime_model: 'none' };
    await admin.createResource({
      kind: 'models',
      id: unserved.id,
      document: JSON.stringify(unserved),
    });
    const statusOf = async () => {
      const reply = await ask({ body: { model: unserved.id } });
      await reply.text();
      return reply.status;
    };
    // The gateway learns of the new model asynchronously.
    await waitUntil(async () => (await statusOf()) === 503, { what: 'the model to be known' });
    await reaches(1, 'sluice.gateway.unserved', { reason: 'no_worker', model: unserved.id });
    expect(total('sluice.gateway.unserved')).toBe(1);
  });

  test('counts messages that could not be read, or are of another version', async () => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    await using bus = await connectBus({ servers: [stack.natsUrl], name: 'stranger', logger });
    const subjects = subjectsUnder('sluice');
    bus.publish(subjects.fleet('elsewhere'), Buffer.from(JSON.stringify({ worker: MARK })));
    const load = { slots: 1, running: 0, queued: 0, queue_limit: 0 };
    const stranger = {
      worker: 'stranger',
      pool: 'elsewhere',
      contract: 999,
      version: '9',
      models: [],
      draining: false,
      load,
      service_ms: null,
      generated_tokens: 0,
      runtime_load: null,
    };
    bus.publish(subjects.fleet('elsewhere'), Buffer.from(JSON.stringify(stranger)));
    await bus.flush();
    await reaches(1, 'sluice.contract.mismatches', { message: 'heartbeat', fault: 'shape' });
    await reaches(1, 'sluice.contract.mismatches', { message: 'heartbeat', fault: 'version' });
    expect(total('sluice.contract.mismatches')).toBe(2);
  });

  test('reports its ledger, and exports only metrics that are in the list', async () => {
    expect(await stack.stop()).toBe(0);
    // Each process exports once more after its last record.
    expect(total('sluice.ledger.stored')).toBeGreaterThan(10);
    expect(total('sluice.ledger.lost')).toBe(0);
    expect(total('sluice.ledger.pending')).toBe(0);
    // From the two invalid replies. Other failures are retried only on another worker, and there is none.
    expect(total('sluice.gateway.retries')).toBe(2);
    expect([...collector.latest.keys()].toSorted()).toEqual([
      'catalog',
      'gateway',
      'quota',
      'worker',
    ]);
    expect([...collector.paths]).toEqual(['/v1/metrics']);
    const known = new Map<string, readonly string[]>(
      Object.entries(METRICS).map(([name, { attributes }]) => [name, attributes]),
    );
    for (const { name, attributes } of collector.values) {
      const exported = { name, attributes: Object.keys(attributes).toSorted() };
      expect(exported).toEqual({ name, attributes: known.get(name)?.toSorted() });
    }
    expect(collector.bodies.filter((body) => body.includes(MARK))).toEqual([]);
  });
});
