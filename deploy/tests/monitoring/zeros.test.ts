import { mintApiKey } from '@sluice/contracts';
import { MetricsPage, ServiceProcess, useNats, useRedis, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { expect, test } from 'vitest';

const nats = useNats();
const redis = useRedis();

interface WatchedService extends AsyncDisposable {
  readonly port: number;
  /** The values of all series of this metric, by their labels: `label="value"`. */
  series(name: string): Promise<Record<string, number>>;
}

/** Starts a service whose metrics page the test reads. */
async function startService(name: string): Promise<WatchedService> {
  const port = await findFreePort();
  const metrics = await MetricsPage.onFreePort();
  const service = await ServiceProcess.start({
    name,
    entry: `services/${name}/src/main.ts`,
    settings: {
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      SUBJECT_PREFIX: nats.namespace,
      CATALOG_BUCKET: nats.namespace,
      QUOTA_ADDRESSES: '127.0.0.1:1',
      CATALOG_ADDRESSES: '127.0.0.1:1',
      RUNTIME_URL: 'http://127.0.0.1:1',
      ADMIN_TOKENS: 'operator:a-token-of-a-test-that-is-long-enough',
      ADMIN_PORT: '0',
      HEALTH_PORT: '0',
      PORT: String(port),
      ...metrics.settings,
    },
    readyUrl: metrics.url,
  });
  const series = async (metric: string) => {
    const page = await metrics.read();
    const lines = Array.from(page.matchAll(new RegExp(`^${metric}\\{(.*)\\} (\\S+)`, 'gm')));
    return Object.fromEntries(
      lines.map(([, labels = '', value]) => [
        labels
          .split(',')
          .filter((label) => !label.startsWith('otel_'))
          .join(),
        Number(value),
      ]),
    );
  };
  const isStarted = async () => Object.values(await series('sluice_process_started'))[0] === 1;
  await waitUntil(isStarted, { what: `${name} to start`, timeoutMs: 20_000 });
  return { port, series, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

test('a gateway reports failure counters before the first failure, so that it is seen to come', async () => {
  await using gateway = await startService('gateway');
  const requests = await gateway.series('sluice_gateway_requests_total');
  expect(new Set(Object.values(requests))).toEqual(new Set([0]));
  const unknown = Object.keys(requests).find((labels) =>
    labels.includes('code="authentication_unavailable"'),
  );
  expect(unknown).toContain('outcome="failed",status="503"');
  expect(await gateway.series('sluice_gateway_admissions_total')).toMatchObject({
    'outcome="unavailable",limit="none"': 0,
    'outcome="refused",limit="tokens_per_day"': 0,
  });
  expect(await gateway.series('sluice_gateway_retries_total')).toHaveProperty('cause="silent"', 0);
  expect(await gateway.series('sluice_gateway_attempts_total')).toMatchObject({
    'end="failed",reason="upstream_unavailable"': 0,
    'end="gap",reason="none"': 0,
  });
  expect(await gateway.series('sluice_contract_mismatches_total')).toEqual({
    'message="catalog_news",fault="shape"': 0,
    'message="frame",fault="shape"': 0,
    'message="heartbeat",fault="shape"': 0,
    'message="heartbeat",fault="version"': 0,
  });
  const reply = await fetch(`http://127.0.0.1:${gateway.port}/compat/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mintApiKey()}` },
  });
  expect(reply.status).toBe(503);
  await waitUntil(
    async () => (await gateway.series('sluice_gateway_requests_total'))[unknown ?? ''] === 1,
    { what: 'the failure where there was a 0' },
  );
});

test('a worker reports counters of refusals and contract mismatches before the first event', async () => {
  await using worker = await startService('worker');
  expect(await worker.series('sluice_worker_jobs_total')).toMatchObject({
    'answer="accepted",reason="none"': 0,
    'answer="refused",reason="unknown_model"': 0,
  });
  expect(await worker.series('sluice_contract_mismatches_total')).toHaveProperty(
    'message="job",fault="version"',
    0,
  );
});

test('quota reports the counter of store failures before the first failure', async () => {
  await using quota = await startService('quota');
  const failures = await quota.series('sluice_quota_store_failures_total');
  expect(failures).toEqual({ 'about="key"': 0, 'about="store"': 0 });
});

test('a catalog reports counters of refused tokens and failed answers before the first event', async () => {
  await using catalog = await startService('catalog');
  expect(await catalog.series('sluice_catalog_admin_refusals_total')).toEqual({ '': 0 });
  expect(await catalog.series('sluice_catalog_answers_total')).toHaveProperty(
    'call="resolve_credential",outcome="failed"',
    0,
  );
  expect(await catalog.series('sluice_contract_mismatches_total')).toEqual({
    'message="catalog_entry",fault="shape"': 0,
  });
});
