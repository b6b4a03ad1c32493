import { describe, expect, it } from 'vitest';
import { AdminLockout, networkOf } from './admin-lockout.ts';

describe('an address that tries admin tokens', () => {
  let now = 0;
  const lockout = () => {
    now = 1_000;
    return new AdminLockout(() => now);
  };
  const failures = (tries: AdminLockout, peer: string, times: number) =>
    Array.from({ length: times }, () => tries.fail(peer));

  it('is answered with growing delays, up to a limit', () => {
    expect(failures(lockout(), '10.0.0.7:1', 7)).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  });

  it('is locked out for a minute after twenty failures within a minute, whatever its ports', () => {
    const tries = lockout();
    for (let port = 1; port < 20; port += 1) tries.fail(`10.0.0.7:${port}`);
    expect(tries.remainingMs('10.0.0.7:99')).toBe(0);
    tries.fail('10.0.0.7:20');
    expect(tries.remainingMs('10.0.0.7:99')).toBe(60_000);
    expect(tries.remainingMs('10.0.0.8:99')).toBe(0);
    now += 60_000;
    expect(tries.remainingMs('10.0.0.7:99')).toBe(0);
    expect(tries.fail('10.0.0.7:99')).toBe(100);
  });

  it('is not locked out by failures of different minutes', () => {
    const tries = lockout();
    failures(tries, '10.0.0.7:1', 19);
    now += 60_000;
    failures(tries, '10.0.0.7:1', 19);
    expect(tries.remainingMs('10.0.0.7:1')).toBe(0);
  });

  it('is forgotten when ten thousand newer ones have failed', () => {
    const tries = lockout();
    failures(tries, '10.0.0.7:1', 20);
    const fail = (from: number, to: number) => {
      for (let index = from; index < to; index += 1) tries.fail(`a${index}:1`);
    };
    fail(1, 10_000);
    expect(tries.remainingMs('10.0.0.7:1')).toBe(60_000);
    fail(10_000, 10_001);
    expect(tries.remainingMs('10.0.0.7:1')).toBe(0);
  });
});

it.each([
  ['10.0.0.7:50123', '10.0.0.7'],
  ['::ffff:10.0.0.7:50123', '::ffff:10.0.0.7'],
  ['2001:db8:1:2:3:4:5:6:50123', '2001:db8:1:2::/64'],
  ['[2001:db8::6]:50123', '2001:db8:0:0::/64'],
  ['::1:50123', '0:0:0:0::/64'],
])('the network of %s is %s', (peer, network) => {
  expect(networkOf(peer)).toBe(network);
});
