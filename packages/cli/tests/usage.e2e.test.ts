import { connectBus, readOutcomes } from '@sluice/bus';
import { LedgerRecord, subjectsUnder, type RequestRecord } from '@sluice/contracts';
import { useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import { connectUsage } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sluice, watchSluice } from './run-sluice.ts';
import { createTenant, type Tenant } from './tenant.ts';

useLeakCheck({ timeoutMs: 10_000 });

const stack = useStack({ usage: true });
const logger = createLogger({ service: 'usage-test', level: 'silent' });

beforeAll(async () => {
  await using client = connectUsage({ address: stack().usageAddress, token: stack().adminToken });
  // Nothing else waits for the embedded database, which takes seconds of CPU time to build.
  await waitUntil(() => client.sumUsage({}).catch(() => undefined), {
    what: 'usage to answer',
    timeoutMs: 90_000,
  });
}, 90_000);

const Report = z.object({
  groups: z.array(z.record(z.string(), z.unknown())),
  total: z.record(z.string(), z.unknown()),
});

async function usage(...parameters: string[]) {
  const command = ['usage', '--json', '--state', stack().state, ...parameters];
  const { code, stdout, stderr } = await sluice(command);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return Report.parse(JSON.parse(stdout));
}

/** All stored records of an organization, including duplicates. */
async function stored({ organization }: Tenant): Promise<LedgerRecord[]> {
  await using bus = await connectBus({ servers: [stack().natsUrl], name: 'test', logger });
  const { ledger } = subjectsUnder('sluice');
  const records: LedgerRecord[] = [];
  for await (const { text } of readOutcomes(bus, { ledger, organization, sinceMs: 0 })) {
    records.push(LedgerRecord.parse(JSON.parse(text)));
  }
  return records;
}

const requestsAmong = (records: readonly LedgerRecord[]) =>
  records.filter((record): record is RequestRecord => record.kind === 'request');

function complete(
  { key }: Tenant,
  steering: object,
  { body = {}, signal }: { body?: object; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${stack().apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sluice-demo',
      messages: [{ role: 'user', content: `Hello\n@sim ${JSON.stringify(steering)}` }],
      ...body,
    }),
    ...(signal === undefined ? {} : { signal }),
  });
}

const streamed = { stream: true, stream_options: { include_usage: true } };
const idOf = (response: Response) => response.headers.get('x-request-id') ?? '';

const WireUsage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
});

/** The usage in a response, streamed or not. */
function usageIn(text: string): z.infer<typeof WireUsage> {
  const events = text.startsWith('data:')
    ? text.split('\n').filter((line) => line.startsWith('data: {'))
    : [`data: ${text}`];
  const last: unknown = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '');
  return z.object({ usage: WireUsage }).parse(last).usage;
}

/** Reads until the given number of pieces has arrived, and leaves the stream open. */
async function readPieces({ body }: Response, count: number): Promise<void> {
  const reader = body?.getReader();
  let text = '';
  while (text.split('content":').length <= count) {
    const read = await reader?.read();
    if (read?.value === undefined) throw new Error('the stream ended early');
    text += Buffer.from(read.value).toString('utf8');
  }
}

describe('every way in which a request can end', () => {
  test('leaves one record, and the sums equal what clients received', async () => {
    const tenant = await createTenant(stack(), 'ledger.test');
    const { organization } = tenant;
    const expected = { input_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };
    const outcomes = new Map<string, string>();

    for (const body of [streamed, streamed, {}]) {
      const response = await complete(tenant, { tokens: 20, reasoning: 5 }, { body });
      const told = usageIn(await response.text());
      outcomes.set(idOf(response), 'completed');
      expected.input_tokens += told.prompt_tokens;
      expected.output_tokens += told.completion_tokens;
      expected.reasoning_tokens += told.completion_tokens_details.reasoning_tokens;
    }
    for (const body of [{ temperature: 9 }, { model: 'nowhere' }]) {
      const response = await complete(tenant, {}, { body });
      expect(response.status).toBeLessThan(500);
      outcomes.set(idOf(response), 'refused');
    }
    const failed = await complete(tenant, { status: 500 });
    expect(failed.status).toBe(502);
    outcomes.set(idOf(failed), 'failed');
    const broken = await complete(tenant, { tokens: 30, fail_after: 6 }, { body: streamed });
    await expect(broken.text()).rejects.toThrow('terminated');
    outcomes.set(idOf(broken), 'failed');

    const leaving = new AbortController();
    const cancelled = await complete(
      tenant,
      { tokens: 2_000, itl_ms: 20 },
      { body: streamed, signal: leaving.signal },
    );
    await readPieces(cancelled, 4);
    leaving.abort();
    outcomes.set(idOf(cancelled), 'cancelled');

    const unknown = await complete({ ...tenant, key: `${tenant.key}x` }, {});
    expect(unknown.status).toBe(401);

    const { total } = await waitUntil(
      async () => {
        const report = await usage('--organization', organization);
        return report.total['requests'] === outcomes.size && report.total['attempts'] === 6
          ? report
          : undefined;
      },
      { what: 'all records' },
    );
    const records = await stored(tenant);
    const requests = requestsAmong(records);
    expect(new Map(requests.map(({ id, outcome }) => [id, outcome]))).toEqual(outcomes);
    expect(records).toHaveLength(outcomes.size + 6);
    expect(requests.every(({ credential }) => credential === requests[0]?.credential)).toBe(true);

    const estimated = requests
      .filter(({ outcome, attempts, delivered_tokens: got }) => {
        return outcome !== 'completed' && attempts > 0 && got > 0;
      })
      .map((request) => [request.estimated_input_tokens, request.delivered_tokens] as const);
    expect(estimated).toHaveLength(2);
    const [brokenPart, cancelledPart] = estimated;
    expect(brokenPart?.[1]).toBe(6);
    expect(cancelledPart?.[1]).toBeGreaterThanOrEqual(4);
    const sum = (index: 0 | 1) => estimated.reduce((all, part) => all + part[index], 0);
    expect(total).toMatchObject({
      completed: 3,
      refused: 2,
      failed: 2,
      cancelled: 1,
      attempts: 6,
      input_tokens: expected.input_tokens + sum(0),
      output_tokens: expected.output_tokens + sum(1),
      reasoning_tokens: expected.reasoning_tokens,
      cached_tokens: expect.any(Number) as number,
    });
    // The generation was stopped at once, so few tokens were wasted.
    expect(total['wasted_tokens']).toBeLessThan(50);
  });

  test('is shown in a table, grouped by the requested field', async () => {
    const state = ['--state', stack().state, '--organization', 'ledger.test'];
    const by = ['--by', 'model', '--sort', 'requests'];
    const { code, stdout } = await sluice(['usage', ...state, ...by, '--since', '1h']);
    expect(code).toBe(0);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^MODEL +REQUESTS +COMPLETED +FAILED +REFUSED +CANCELLED +INPUT +OUTPUT/);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 6))).toEqual([
      ['sluice-demo', '6', '3', '2', '0', '1'],
      ['-', '2', '0', '0', '2', '0'],
      ['total', '8', '3', '2', '2', '1'],
    ]);
    const wrong = await sluice(['usage', ...state, '--by', 'colour']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    const nobody = await usage('--organization', 'nobody');
    expect(nobody.groups).toEqual([]);
  });
});

test('a request whose gateway was killed is explained by its attempt, and its tokens count as wasted', async () => {
  const tenant = await createTenant(stack(), 'orphans');
  const before = await stack().service('gateway');
  const response = await complete(tenant, { tokens: 5_000, itl_ms: 20 }, { body: streamed });
  await readPieces(response, 3);
  await stack().kill('gateway');
  const { total } = await waitUntil(
    async () => {
      const report = await usage('--organization', tenant.organization);
      return report.total['attempts'] === 1 ? report : undefined;
    },
    { what: 'the attempt to be given up', timeoutMs: 30_000 },
  );
  expect(total).toMatchObject({ requests: 0, attempts: 1, output_tokens: 0 });
  const explained = await sluice(['explain', idOf(response), '--state', stack().state]);
  expect(explained.stdout).toMatch(/^outcome +not known: .* its gateway died$/m);
  expect(total['wasted_tokens']).toBeGreaterThan(3);
  const [record] = await stored(tenant);
  expect(record).toMatchObject({
    kind: 'attempt',
    reason: 'gateway_silent',
    request: idOf(response),
  });
  expect(record?.kind === 'attempt' ? record.unheard_tokens : 0).toBeGreaterThan(0);
  await stack().restarted(before);
});

test('if NATS is killed, no record is lost or doubled', async () => {
  const tenant = await createTenant(stack(), 'outage');
  const before = await stack().service('nats');
  const ids: string[] = [];
  const stopping = new AbortController();
  const load = async () => {
    while (!stopping.signal.aborted) {
      const response = await complete(tenant, { tokens: 3 }).catch(() => undefined);
      await response?.text().catch(() => undefined);
      if (response !== undefined) ids.push(idOf(response));
    }
  };
  const loads = [load(), load(), load()];
  await waitUntil(() => ids.length >= 20, { what: 'some requests before' });
  await stack().kill('nats');
  await stack().restarted(before);
  const during = ids.length;
  await waitUntil(() => ids.length >= during + 20, { what: 'some requests after' });
  stopping.abort();
  await Promise.all(loads);
  const records = await waitUntil(
    async () => {
      const all = await stored(tenant);
      return requestsAmong(all).length >= ids.length ? all : undefined;
    },
    { what: 'every record', timeoutMs: 20_000 },
  );
  expect(
    requestsAmong(records)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(ids.toSorted());
  const attempts = records.filter(({ kind }) => kind === 'attempt').map(({ id }) => id);
  expect(new Set(attempts).size).toBe(attempts.length);
});

describe('the usage service', () => {
  test('has summed up every record of the ledger', async () => {
    await using client = connectUsage({ address: stack().usageAddress, token: stack().adminToken });
    for (const organization of ['ledger.test', 'outage']) {
      const records = await stored({ organization, project: '', key: '' });
      const requests = new Set(requestsAmong(records).map(({ id }) => id)).size;
      const attempts = new Set(records.filter(({ kind }) => kind === 'attempt').map(({ id }) => id))
        .size;
      const total = await waitUntil(
        async () => {
          const sums = await client.sumUsage({ organization });
          return sums.total?.requests === requests ? sums.total : undefined;
        },
        { what: `the requests of ${organization}`, timeoutMs: 30_000 },
      );
      expect(total).toMatchObject({ requests, attempts });
    }
  });

  test('explains a request in one command', async () => {
    const tenant = await createTenant(stack(), 'explained');
    const response = await complete(tenant, { tokens: 7 });
    const { completion_tokens: told } = usageIn(await response.text());
    const id = idOf(response);
    const place = ['--state', stack().state];
    const { stdout } = await waitUntil(
      async () => {
        const answer = await sluice(['explain', id, ...place]);
        return answer.stdout.includes('runtime') ? answer : undefined;
      },
      { what: 'the request to be known' },
    );
    expect(stdout).toMatch(/^organization +explained$/m);
    expect(stdout).toMatch(/^outcome +completed$/m);
    expect(stdout).toMatch(/^status +200$/m);
    expect(stdout).toMatch(/^limits +cost: 1 request, \d+ tokens$/m);
    expect(stdout).toMatch(new RegExp(`queued \\d+ ms, ran \\d+ ms, ${told} tokens$`, 'm'));
    const json = await sluice(['explain', id, '--json', ...place]);
    expect(JSON.parse(json.stdout)).toMatchObject({ request: { id, outputTokens: told } });
    const listed = await sluice(['requests', '--organization', 'explained', ...place]);
    expect(listed.stdout.split('\n')[1]).toMatch(new RegExp(`${id} +explained +200 +completed`));
    const watched = watchSluice(['requests', '--follow', '--organization', 'explained', ...place]);
    await watched.until(id);
    const next = await complete(tenant, { tokens: 3 });
    await watched.until(idOf(next));
    watched.interrupt();
    expect(await watched.ended).toBe(0);
    expect(watched.said.output.split(idOf(next))).toHaveLength(2);
    const failed = ['requests', '--organization', 'ledger.test', '--failed', '--output', 'json'];
    const { stdout: lines } = await sluice([...failed, ...place]);
    const ends = lines
      .trim()
      .split('\n')
      .map((line) => z.object({ outcome: z.string() }).parse(JSON.parse(line)));
    expect(ends).toEqual([{ outcome: 'failed' }, { outcome: 'failed' }]);
    const unknown = await sluice(['explain', 'nothing', ...place]);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: 'sluice explain: no request nothing is known\n',
    });
  });
});
