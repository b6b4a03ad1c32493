import { expect, test } from 'vitest';
import { ConfigurationError, readConfiguration } from './config.ts';

test('without settings the simulator listens on loopback with its own defaults', () => {
  const options = readConfiguration({});
  expect(options).toMatchObject({ host: '127.0.0.1', port: 8_000 });
  expect(options.models).toBeUndefined();
  expect(options.slots).toBeUndefined();
});

test('every setting can be a variable', () => {
  expect(
    readConfiguration({
      HOST: '0.0.0.0',
      PORT: '0',
      SIMULATOR_MODELS: 'org/a:reasoning:context=4096, b:8b',
      SIMULATOR_SLOTS: '3',
      SIMULATOR_TTFT_MS: '0',
      SIMULATOR_ITL_MS: '2.5',
      SIMULATOR_CACHE_BLOCKS: '10',
      SIMULATOR_REASONING_FIELD: 'reasoning',
      SIMULATOR_API_KEY: 'secret',
    }),
  ).toEqual({
    host: '0.0.0.0',
    port: 0,
    models: [
      { name: 'org/a', reasoning: true, contextLength: 4_096 },
      { name: 'b:8b', reasoning: false, contextLength: 32_768 },
    ],
    slots: 3,
    timeToFirstTokenMs: 0,
    betweenTokensMs: 2.5,
    cacheBlocks: 10,
    reasoningField: 'reasoning',
    apiKey: 'secret',
  });
});

test('a flag has priority over its variable, and an empty variable counts as not set', () => {
  const options = readConfiguration({ SIMULATOR_SLOTS: '3', SIMULATOR_ITL_MS: '' }, [
    '--slots=9',
    '--ttft-ms',
    '7',
  ]);
  expect(options.slots).toBe(9);
  expect(options.timeToFirstTokenMs).toBe(7);
  expect(options.betweenTokensMs).toBeUndefined();
});

test('one error names every setting that cannot be used', () => {
  const read = () =>
    readConfiguration({
      HOST: 'http://127.0.0.1',
      PORT: '70000',
      SIMULATOR_SLOTS: 'many',
      SIMULATOR_ITL_MS: '-1',
      SIMULATOR_MODELS: 'a,,b',
      SIMULATOR_REASONING_FIELD: 'thoughts',
    });
  expect(read).toThrow(ConfigurationError);
  for (const name of ['HOST', 'PORT', 'SLOTS', 'ITL_MS', 'MODELS', 'REASONING_FIELD']) {
    expect(read).toThrow(name);
  }
});

test.each(['::1', '0.0.0.0', 'localhost'])('%s is accepted as a host', (host) => {
  expect(readConfiguration({ HOST: host }).host).toBe(host);
});

test('an unknown flag is refused, with the list of the known flags', () => {
  expect(() => readConfiguration({}, ['--speed', '3'])).toThrow('--ttft-ms');
  expect(() => readConfiguration({}, ['stray'])).toThrow(ConfigurationError);
});
