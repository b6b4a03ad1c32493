import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  ConfigurationError,
  addressListSetting,
  booleanSetting,
  hostSetting,
  listSetting,
  portSetting,
  readConfiguration,
} from './settings.ts';

const schema = z.object({
  PORT: portSetting().default(8080),
  SERVERS: listSetting(),
  STRICT: booleanSetting().default(false),
});

describe('settings from the environment', () => {
  it('reads numbers, lists and switches from text', () => {
    expect(readConfiguration(schema, { PORT: '81', SERVERS: 'a, b,', STRICT: 'true' })).toEqual({
      PORT: 81,
      SERVERS: ['a', 'b'],
      STRICT: true,
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readConfiguration(schema, { PORT: '', SERVERS: 'a' }).PORT).toBe(8080);
  });

  it('names every bad variable in one failure', () => {
    expect(() => readConfiguration(schema, { PORT: '70000', STRICT: 'yes' })).toThrow(
      new ConfigurationError(
        [
          'settings are wrong:',
          '  PORT: must be a whole number from 0 to 65535',
          '  SERVERS: must name at least one, separated by commas',
          '  STRICT: must be true or false',
        ].join('\n'),
      ),
    );
  });

  it.each(['-1', '1.5', '1e3', ' 1', '0x10'])('does not take %j for a whole number', (text) => {
    expect(() => readConfiguration(schema, { PORT: text, SERVERS: 'a' })).toThrow(
      'PORT: must be a whole number',
    );
  });

  it.each([0, 65_535])('takes the whole range of a number, %d included', (PORT) => {
    expect(readConfiguration(schema, { PORT: String(PORT), SERVERS: 'a' }).PORT).toBe(PORT);
  });

  it('does not accept a list of commas only', () => {
    expect(() => readConfiguration(schema, { SERVERS: ' , ' })).toThrow('SERVERS: must name');
  });

  it('names a setting that is missing', () => {
    expect(() => readConfiguration(schema, {})).toThrow('SERVERS');
  });
});

describe('a list of addresses', () => {
  const addresses = z.object({ PEERS: addressListSetting() });

  it('is hosts with their ports', () => {
    const PEERS = 'localhost:1, 10.0.0.1:65535,[::1]:50051,quota.example:50051';
    expect(readConfiguration(addresses, { PEERS }).PEERS).toHaveLength(4);
  });

  it.each([
    'quota',
    'quota:',
    'quota:0',
    'quota:65536',
    ':50051',
    '::1:50051',
    'http://quota:50051',
    'dns:///quota:50051',
    'quota:50051/path',
    'quota:50051,other',
  ])('is not %s', (PEERS) => {
    expect(() => readConfiguration(addresses, { PEERS })).toThrow('PEERS: must be host:port');
  });
});

describe('a host to listen on', () => {
  const host = z.object({ HOST: hostSetting() });

  it.each(['0.0.0.0', '::', '::1', 'localhost', 'gateway-0.sluice.svc'])('may be %s', (HOST) => {
    expect(readConfiguration(host, { HOST })).toEqual({ HOST });
  });

  it.each(['http://0.0.0.0', '0.0.0.0:8080', '[::]', 'a host'])('is not %s', (HOST) => {
    expect(() => readConfiguration(host, { HOST })).toThrow('HOST: must be a host name');
  });
});
