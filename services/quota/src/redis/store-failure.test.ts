import { describe, expect, it } from 'vitest';
import { DeadlineMissedError } from '../domain/admission-queue.ts';
import { storeFailure } from './store-failure.ts';

function reply(message: string): Error {
  return Object.assign(new Error(message), { name: 'ReplyError' });
}

describe('a failure of the store', () => {
  it.each([
    [new DeadlineMissedError('no answer'), 'timeout'],
    [new Error('Connection is closed.'), 'connection'],
    [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [reply('LOADING Redis is loading the dataset in memory'), 'LOADING'],
    [reply("READONLY You can't write against a read only replica. script: 1"), 'READONLY'],
    [reply("OOM command not allowed when used memory > 'maxmemory'. script: 1"), 'OOM'],
    [reply('MISCONF Redis is configured to save RDB snapshots'), 'MISCONF'],
    [reply('NOAUTH Authentication required.'), 'NOAUTH'],
    [reply('CLUSTERDOWN The cluster is down'), 'CLUSTERDOWN'],
    [
      Object.assign(new Error('all failed'), { lastNodeError: reply('WRONGPASS invalid') }),
      'WRONGPASS',
    ],
  ])('that is the whole store’s is counted and named: %s', (error, reason) => {
    expect(storeFailure(error)).toStrictEqual({ reason, aboutKey: false });
  });

  it.each([
    reply('WRONGTYPE Operation against a key holding the wrong kind of value script: 1'),
    reply('ERR state of an unknown version'),
    reply('ERR user_script:57: data string too short script: 1, on @user_script:57.'),
    reply('ERR Error running script (call to f_1): @user_script:57: data string too short'),
    new RangeError('a reply of 3 bytes for 1 costs'),
  ])('that is about one key is told apart: %s', (error) => {
    expect(storeFailure(error)).toMatchObject({ aboutKey: true });
  });

  it('is never told in its own words', () => {
    expect(JSON.stringify(storeFailure(reply("NOPERM user 'x' secret:key")))).not.toMatch(/secret/);
  });
});
