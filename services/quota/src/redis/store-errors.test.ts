import { describe, expect, it } from 'vitest';
import { DeadlineMissedError } from '../limiter/limit-store.ts';
import { storeFailure, UnusableStateError } from './store-errors.ts';

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
    [
      reply(
        'ERR Error running script (call to f_caee): @user_script:1: @user_script: 1: -OOM command not allowed',
      ),
      'OOM',
    ],
    [reply('MISCONF Redis is configured to save RDB snapshots'), 'MISCONF'],
    [reply('NOAUTH Authentication required.'), 'NOAUTH'],
    [reply("NOPERM this user has no permissions to run the 'evalsha' command"), 'NOPERM'],
    [
      reply("ERR The user executing the script can't run this command or subcommand script: 1"),
      'NOPERM',
    ],
    [reply('CLUSTERDOWN The cluster is down'), 'CLUSTERDOWN'],
    [reply('ERR user_script:57: attempt to index a nil value'), 'ERR'],
    [new RangeError('a reply of 3 bytes for costs 1'), 'reply'],
    [
      Object.assign(new Error('all failed'), { lastNodeError: reply('WRONGPASS invalid') }),
      'WRONGPASS',
    ],
  ])('of the whole store has its reason: %s', (error, reason) => {
    expect(storeFailure(error)).toStrictEqual({ reason, aboutKey: false });
  });

  it.each([
    [new UnusableStateError('no state'), 'state'],
    [reply('CLUSTERDOWN Hash slot not served'), 'CLUSTERDOWN'],
  ])('of one organization is marked as such: %s', (error, reason) => {
    expect(storeFailure(error)).toStrictEqual({ reason, aboutKey: true });
  });

  it('is never logged with its message', () => {
    expect(JSON.stringify(storeFailure(reply("NOPERM user 'x' secret:key")))).not.toMatch(/secret/);
  });
});
