import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { chartData } from './chart-files.ts';
import { ValuesSchema } from './values-schema.ts';

const schema = new ValuesSchema();
const isValid = new Ajv({ strict: false }).compile(Object(schema.document));

function mistakesIn(values: unknown): unknown[] {
  return isValid(values) ? [] : (isValid.errors ?? []);
}

test('the defaults of the chart are valid', () => {
  expect(mistakesIn(chartData('values.yaml'))).toEqual([]);
});

test('every value has a default, and every default is in the schema', () => {
  // Helm sets these two values for a chart that is a dependency of another chart.
  expect(schema.differencesFrom(chartData('values.yaml'))).toEqual([
    'global has no default',
    'enabled has no default',
  ]);
});

test.each([
  ['a value that is none', { gatway: { replicas: 3 } }],
  ['a setting that is none', { gateway: { settings: { BODY_LIMIT: 1 } } }],
  ['a drain among the settings', { gateway: { settings: { DRAIN_LIMIT_MS: 1 } } }],
  ['a setting of half a number', { gateway: { settings: { BODY_LIMIT_BYTES: 1.5 } } }],
  ['a number in words', { gateway: { replicas: 'two' } }],
  ['a time with its unit', { workerDefaults: { drainMs: '120s' } }],
  ['no quota at all', { quota: { replicas: 0 } }],
  ['a short admin token', { catalog: { adminTokens: { ops: 'secret' } } }],
  ['two copies of the catalog', { catalog: { bucketReplicas: 2 } }],
  ['a worker of a name that no pod can have', { workers: { 'Big One': {} } }],
  ['a runtime of an unknown kind', { workers: { a: { runtimeKind: 'other' } } }],
  ['a runtime without an image', { workers: { a: { runtime: { container: { args: [] } } } } }],
  ['a prefix that is no subject', { subjectPrefix: 'sluice.>' }],
  ['a digest that is none', { gateway: { image: { digest: 'latest' } } }],
  ['an Ingress without hosts', { gateway: { ingress: { enabled: true, hosts: [] } } }],
  ['TLS without a certificate', { grpcTls: { enabled: true, server: { secretName: '' } } }],
  ['a certificate without its key', { grpcTls: { server: { key: '' } } }],
  ['a setting of TLS among the settings', { quota: { settings: { GRPC_TLS: true } } }],
  ['a Job that would apply nothing', { applyCatalog: { enabled: true, file: '' } }],
])('%s is refused', (_, values) => {
  expect(mistakesIn(values)).not.toEqual([]);
});

test.each([
  ['settings as text, numbers and switches', { RUNTIME_SHARED: true, QUEUE_LIMIT: 5 }],
  ['settings in quotes', { RUNTIME_SHARED: 'true', QUEUE_LIMIT: '5' }],
])('%s are accepted', (_, settings) => {
  expect(mistakesIn({ workers: { a: { settings } } })).toEqual([]);
});
