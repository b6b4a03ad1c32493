import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedSettings } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { SERVICE_NAMES, chartData, chartVariables, templateText } from './chart-files.ts';
import { ValuesSchema } from './values-schema.ts';

const root = join(import.meta.dirname, '../../..');
const schema = new ValuesSchema();

/** The variables of OpenTelemetry. The OpenTelemetry SDK reads most of them, not the services. */
function telemetryVariables(): string[] {
  const text = readFileSync(join(root, 'docs/observability.md'), 'utf8');
  return Array.from(text.matchAll(/`(OTEL_\w+)`/g), ([, name = '']) => name);
}

describe.each(SERVICE_NAMES)('the variables that the chart sets for %s', (service) => {
  const variables = chartVariables(service);
  const taken = schema.settingsOf(service);

  test('are settings of the service, or of its telemetry', async () => {
    const documented = Object.keys(await documentedSettings(service));
    // POD_NAME is used only in the value of another variable.
    const known = new Set([...documented, ...telemetryVariables(), 'POD_NAME']);
    expect(variables).toContain('HEALTH_PORT');
    expect(Array.from(variables).filter((name) => !known.has(name))).toEqual([]);
  });

  test('are, together with those that `settings` accepts, all settings of the service, each in one place', async () => {
    const documented = Object.keys(await documentedSettings(service));
    expect(taken.filter((name) => variables.has(name))).toEqual([]);
    expect(taken.filter((name) => !documented.includes(name))).toEqual([]);
    const unreachable = documented.filter((name) => !variables.has(name) && !taken.includes(name));
    expect(unreachable).toEqual([]);
  });
});

const Values = z.object({
  logLevel: z.string(),
  subjectPrefix: z.string(),
  grpcTls: z.object({ enabled: z.boolean() }),
  ledger: z.object({ replicas: z.number(), days: z.number(), maxBytes: z.number() }),
  redis: z.object({ mode: z.string() }),
  gateway: z.object({ drain: z.object({ announceMs: z.number(), limitMs: z.number() }) }),
  catalog: z.object({ bucket: z.string(), bucketReplicas: z.number() }),
  usage: z.object({ databaseTls: z.object({ enabled: z.boolean() }) }),
  console: z.object({ drain: z.object({ announceMs: z.number(), limitMs: z.number() }) }),
  workerDefaults: z.object({ drainMs: z.number(), pool: z.string(), runtimeKind: z.string() }),
});

test('the defaults of the chart are those of the services', async () => {
  const values = Values.parse(chartData('values.yaml'));
  const { gateway, catalog, usage, console, workerDefaults, ledger, redis } = values;
  expect(await documentedSettings('gateway')).toMatchObject({
    LOG_LEVEL: values.logLevel,
    SUBJECT_PREFIX: values.subjectPrefix,
    GRPC_TLS: String(values.grpcTls.enabled),
    PORT: templateText('sluice.port.gateway'),
    DRAIN_ANNOUNCE_MS: String(gateway.drain.announceMs),
    DRAIN_LIMIT_MS: String(gateway.drain.limitMs),
  });
  expect(await documentedSettings('worker')).toMatchObject({
    POOL: workerDefaults.pool,
    RUNTIME_KIND: workerDefaults.runtimeKind,
    DRAIN_TIMEOUT_MS: String(workerDefaults.drainMs),
  });
  expect(await documentedSettings('quota')).toMatchObject({
    PORT: templateText('sluice.port.quota'),
    REDIS_MODE: redis.mode,
  });
  expect(await documentedSettings('usage')).toMatchObject({
    PORT: templateText('sluice.port.usage'),
    DATABASE_TLS: String(usage.databaseTls.enabled),
  });
  expect(await documentedSettings('console')).toMatchObject({
    PORT: templateText('sluice.port.console'),
    DRAIN_ANNOUNCE_MS: String(console.drain.announceMs),
    DRAIN_LIMIT_MS: String(console.drain.limitMs),
  });
  expect(await documentedSettings('catalog')).toMatchObject({
    PORT: templateText('sluice.port.catalog'),
    ADMIN_PORT: templateText('sluice.port.admin'),
    CATALOG_BUCKET: catalog.bucket,
    CATALOG_REPLICAS: String(catalog.bucketReplicas),
    LEDGER_REPLICAS: String(ledger.replicas),
    LEDGER_DAYS: String(ledger.days),
    LEDGER_MAX_BYTES: String(ledger.maxBytes),
  });
});

test('the chart installs the version of its repository', () => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  expect(chartData('Chart.yaml')).toMatchObject({ appVersion: version });
});
