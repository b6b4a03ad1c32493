import { MetricsPage, useLeakCheck, useRedis } from '@sluice/devkit';
import { createLogger, startTelemetry } from '@sluice/service';
import { afterEach, expect, test, vi } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { start } from '../src/start.ts';

useLeakCheck();
const server = useRedis({ own: true });
const logger = createLogger({ service: 'test', level: 'silent' });

afterEach(() => void vi.unstubAllEnvs());

test('the metric shows a lost Redis even without requests', async () => {
  const metrics = await MetricsPage.ofThisProcess();
  await using _telemetry = await startTelemetry('quota', metrics.settings);
  const settings = readQuotaSettings({ PORT: '0', REDIS_URL: server.url });
  await using _quota = await start(settings, logger);
  const usable = async () => {
    const page = await metrics.read();
    return /^sluice_quota_store_usable\S* (\d)$/m.exec(page)?.[1];
  };
  await expect.poll(usable, { timeout: 10_000 }).toBe('1');
  await server.kill();
  await expect.poll(usable, { timeout: 10_000 }).toBe('0');
  await server.restart();
  await expect.poll(usable, { timeout: 10_000 }).toBe('1');
});
