import { MetricsPage, useLeakCheck } from '@sluice/devkit';
import { startTelemetry } from '@sluice/service';
import { afterEach, expect, test, vi } from 'vitest';
import { accepted, job, refused, setUp } from '../src/dispatch/dispatch-fixture.ts';
import { ByteBudget } from '../src/request/byte-budget.ts';

useLeakCheck();
afterEach(() => void vi.unstubAllEnvs());

test('a job that was returned after its body was released does not count as unserved', async () => {
  const metrics = await MetricsPage.ofThisProcess();
  await using _telemetry = await startTelemetry('gateway', metrics.settings);
  const workers = ['a', 'b', 'c', 'd'];
  const noRoom = new ByteBudget({ maxBytes: 0, maxBytesPerOrganization: 0 });
  const busy: unknown = expect.objectContaining({ code: 'infrastructure_rate_limit_exceeded' });
  const handedBack = setUp([[accepted(), refused()]], workers, noRoom);
  await expect(handedBack.run({ ...job, body: Buffer.alloc(100_000, ' ') })).rejects.toEqual(busy);
  const refusedByAll = setUp([[refused()], [refused()], [refused()]], workers, noRoom);
  await expect(refusedByAll.run({ ...job })).rejects.toEqual(busy);
  await vi.waitFor(async () => {
    const page = await metrics.read();
    const lines = page.match(/^sluice_gateway_unserved_total.* [1-9]\d*$/gm);
    expect(lines).toEqual([expect.stringMatching(/reason="no_room".* 1$/)]);
  });
});
