import { createLogger, startTelemetry } from '@sluice/telemetry';
import { findFreePort, useLeakCheck, useRedis } from '@sluice/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { start } from '../src/start.ts';

useLeakCheck();
const server = useRedis({ own: true });
const logger = createLogger({ service: 'test', level: 'silent' });

afterEach(() => void vi.unstubAllEnvs());

test('a lost Redis is told by the metric though nobody asks for anything', async () => {
  const port = await findFreePort();
  vi.stubEnv('OTEL_METRICS_EXPORTER', 'prometheus');
  vi.stubEnv('OTEL_EXPORTER_PROMETHEUS_HOST', '127.0.0.1');
  vi.stubEnv('OTEL_EXPORTER_PROMETHEUS_PORT', String(port));
  await using _telemetry = await startTelemetry('quota', {
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_TRACES_EXPORTER: 'none',
  });
  const settings = readQuotaSettings({ PORT: '0', REDIS_URL: server.url });
  await using _quota = await start(settings, logger);
  const usable = async () => {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /^sluice_quota_store_usable\S* (\d)$/m.exec(page)?.[1];
  };
  await expect.poll(usable, { timeout: 10_000 }).toBe('1');
  await server.kill();
  await expect.poll(usable, { timeout: 10_000 }).toBe('0');
  await server.restart();
  await expect.poll(usable, { timeout: 10_000 }).toBe('1');
});
