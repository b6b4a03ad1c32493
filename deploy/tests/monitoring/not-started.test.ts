import { MetricsPage, ServiceProcess, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { expect, test } from 'vitest';

test.each(['catalog', 'gateway', 'usage', 'worker'])(
  'a %s that cannot reach NATS says on its page of metrics that it has not started',
  async (name) => {
    const [nats, health] = [await findFreePort(), await findFreePort()];
    const metrics = await MetricsPage.onFreePort();
    await using service = await ServiceProcess.start({
      name,
      entry: `services/${name}/src/main.ts`,
      settings: {
        NATS_URL: `nats://127.0.0.1:${nats}`,
        QUOTA_ADDRESSES: '127.0.0.1:1',
        CATALOG_ADDRESSES: '127.0.0.1:1',
        RUNTIME_URL: 'http://127.0.0.1:1',
        DATABASE_URL: 'postgres://127.0.0.1:1/usage',
        HEALTH_PORT: String(health),
        ...metrics.settings,
      },
      readyUrl: metrics.url,
    });
    await waitUntil(() => service.lastLines().includes('waiting for the bus'), {
      what: 'an attempt to reach NATS',
    });
    const series = (await metrics.read()).match(/^sluice_.*/gm) ?? [];
    expect(series).toEqual([expect.stringMatching(/^sluice_process_started\{.*\} 0$/)]);
    const readiness = await fetch(`http://127.0.0.1:${health}/readyz`);
    expect(await readiness.json()).toEqual({ status: 'not ready', phase: 'starting' });
  },
);
