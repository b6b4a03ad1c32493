import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  ConfigurationError,
  booleanSetting,
  integerSetting,
  listSetting,
  readConfiguration,
} from './configuration.ts';

const schema = z.object({
  PORT: integerSetting(0, 65_535).default(8080),
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
          '  SERVERS: Invalid input: expected string, received undefined',
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

  it('says what is missing in words of its own', () => {
    expect(() => readConfiguration(schema, {})).toThrow('SERVERS');
  });
});
