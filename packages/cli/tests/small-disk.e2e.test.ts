import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { startNats, type RunningServer } from '@sluice/servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { MetricsCollector } from './metrics-collector.ts';
import { runSluice, sluice, WITHOUT } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

const FAULT = 'insufficient storage resources available';
const program = process.env['SLUICE_NATS_SERVER'] ?? '';
const missing = program.startsWith('/') ? undefined : 'SLUICE_NATS_SERVER is no program';

const Status = z.object({
  services: z.array(z.object({ name: z.string(), health_url: z.string().nullable() })),
});
const Stream = z.object({ exists: z.boolean(), fault: z.string().optional() });
const Readiness = z.object({ ledger: z.object({ outcomes: Stream, refusals: Stream }) });

describe.skipIf(cannotRun('a NATS with a small disk', missing))('a NATS with a small disk', () => {
  test('cannot store the ledger, which `up`, /readyz and a metric report until there is room', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-small-disk-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const start = (room: string, port?: number) =>
      startNats({
        program: { kind: 'executable', path: program },
        dataFolder: join(folder, 'nats'),
        logFile: join(folder, 'nats.log'),
        settings: { jetstream: `{ max_file_store: ${room} }` },
        ...(port === undefined ? {} : { port }),
      });
    let nats: RunningServer = await start('64MB');
    onTestFinished(() => nats[Symbol.asyncDispose]());
    await using collector = await MetricsCollector.start();
    const state = join(folder, 'state');
    const run = runSluice(['up', '--port', '0', '--state', state, ...WITHOUT], {
      NATS_URL: nats.url,
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRIC_EXPORT_INTERVAL: '300',
    });
    await run.ready();
    for (const kind of ['outcomes', 'refusals']) {
      expect(run.stdout()).toContain(`no stream keeps the ${kind} of requests: ${FAULT}`);
    }
    const readyUrl = await readyUrlOfCatalog(state);
    const refused = { exists: false, fault: FAULT };
    expect(await ledgerAt(readyUrl)).toEqual({ outcomes: refused, refusals: refused });
    const kept = () =>
      collector.values
        .filter(({ name }) => name === 'sluice.ledger.kept')
        .map(({ value }) => value);
    await waitUntil(() => kept().length === 2, { what: 'the metric of the alert' });
    expect(kept()).toEqual([0, 0]);

    await nats.program.stop();
    nats = await start('4GB', nats.port);
    await waitUntil(() => kept().every((value) => value === 1), {
      what: 'the streams to be made',
      timeoutMs: 30_000,
    });
    const made = { exists: true };
    expect(await ledgerAt(readyUrl)).toEqual({ outcomes: made, refusals: made });
    run.signal('SIGINT');
    await run.ended;
  });
});

async function readyUrlOfCatalog(state: string): Promise<string> {
  const { stdout } = await sluice(['status', '--state', state, '--json']);
  const { services } = Status.parse(JSON.parse(stdout));
  return services.find(({ name }) => name === 'catalog')?.health_url ?? '';
}

async function ledgerAt(readyUrl: string): Promise<z.infer<typeof Readiness>['ledger']> {
  return Readiness.parse(await (await fetch(readyUrl)).json()).ledger;
}
