import { describeDefaults, documentedSettings } from '@sluice/devkit';
import { ConfigurationError } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES, readWorkerSettings } from './config.ts';

describe("the worker's settings", () => {
  it('need only the address of a runtime', () => {
    expect(readWorkerSettings({ RUNTIME_URL: 'http://gpu:8000/v1' })).toMatchObject({
      RUNTIME_URL: 'http://gpu:8000/v1',
      RUNTIME_KIND: 'auto',
      POOL: 'default',
      QUEUE_LIMIT: 128,
      SHARED_PREFIX_CACHE: false,
      SUBJECT_PREFIX: 'sluice',
    });
    expect(readWorkerSettings({ RUNTIME_URL: 'http://gpu:8000' }).SLOTS).toBeUndefined();
  });

  it.each([
    'http://gpu:8000/',
    'http://gpu:8000/v1/',
    'http://gpu:8000/prefix',
    'http://gpu:8000/prefix/v1',
    'http://gpu:8000/v1/prefix/v1',
    'http://gpu:8000/v10/prefix',
  ])('take a runtime at %s', (address) => {
    expect(readWorkerSettings({ RUNTIME_URL: address }).RUNTIME_URL).toBe(address);
  });

  it('refuse an address with the path of an operation, and say what to write instead', () => {
    const environment = { RUNTIME_URL: 'http://gpu:8000/v1/models' };
    expect(() => readWorkerSettings(environment)).toThrow(
      'RUNTIME_URL: must have nothing after /v1: write http://HOST:PORT or http://HOST:PORT/v1',
    );
  });

  it.each([
    ['RUNTIME_URL', 'gpu:8000'],
    ['RUNTIME_URL', ''],
    ['RUNTIME_URL', 'http://me:secret@gpu:8000'],
    ['RUNTIME_URL', 'http://gpu:8000/v1?key=secret'],
    ['RUNTIME_URL', 'http://gpu:8000/v1/chat/completions'],
    ['RUNTIME_URL', 'http://gpu:8000/prefix/v1/models/'],
    ['RUNTIME_API_KEY', 'secret\n'],
    ['NATS_URL', 'http://bus:4222'],
    ['NATS_CA_FILE', '/ca.pem'],
    ['RUNTIME_KIND', 'tgi'],
    ['POOL', 'a.b'],
    ['SUBJECT_PREFIX', 'a..b'],
    ['SLOTS', '0'],
    ['QUEUE_LIMIT', '-1'],
    ['SHARED_PREFIX_CACHE', 'yes'],
    ['STALL_TIMEOUT_MS', '1'],
  ])('refuse %s=%s by name', (name, value) => {
    const environment = { RUNTIME_URL: 'http://gpu:8000', [name]: value };
    expect(() => readWorkerSettings(environment)).toThrow(ConfigurationError);
    expect(() => readWorkerSettings(environment)).toThrow(name);
    expect(() => readWorkerSettings(environment)).not.toThrow(/secret/);
  });
});

it('every setting is documented, with its default', async () => {
  const documented = await documentedSettings('worker');
  expect(documented).toEqual(
    describeDefaults(SETTING_NAMES, readWorkerSettings({ RUNTIME_URL: 'http://gpu:8000' }), [
      'RUNTIME_URL',
    ]),
  );
});
