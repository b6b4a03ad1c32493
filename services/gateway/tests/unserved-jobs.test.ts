import { startTelemetry } from '@sluice/telemetry';
import { MetricsPage, useLeakCheck } from '@sluice/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { accepted, job, refused, setUp } from '../src/domain/dispatch-fixture.ts';
import { HeldBytes } from '../src/domain/held-bytes.ts';

useLeakCheck();
afterEach(() => void vi.unstubAllEnvs());

test('a job that was handed back without its body does not count as one for which no worker had room', async () => {
  const metrics = await MetricsPage.ofThisProcess();
  await using _telemetry = await startTelemetry('gateway', metrics.settings);
  const workers = ['a', 'b', 'c', 'd'];
  const noRoom = new HeldBytes({ mostBytes: 0, mostBytesOfOne: 0 });
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
