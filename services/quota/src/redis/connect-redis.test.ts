import { createLogger } from '@sluice/telemetry';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionLog } from './connection-log.ts';

let said: string[];
let log: ConnectionLog;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  said = [];
  const write = (line: string) => {
    const { msg, reason } = JSON.parse(line) as { msg: string; reason?: string };
    said.push(reason === undefined ? msg : `${msg}: ${reason}`);
  };
  const logger = createLogger({ service: 'quota', level: 'info', destination: { write } });
  log = new ConnectionLog('single', logger);
});
afterEach(() => void vi.useRealTimers());

describe('the log of the connection to Redis', () => {
  it('tells that it is there, and that it is lost', () => {
    log.connected();
    vi.advanceTimersByTime(1_000);
    log.lost({ wanted: false });
    expect(said).toEqual(['connected to Redis', 'connection to Redis lost']);
  });

  it('tells each reason why there is none, once for each outage', () => {
    const reasons = ['ECONNREFUSED', 'ECONNREFUSED', 'WRONGPASS', 'ECONNREFUSED', 'WRONGPASS'];
    for (const reason of reasons) log.failed(reason);
    log.connected();
    vi.advanceTimersByTime(1_000);
    log.lost({ wanted: false });
    log.failed('WRONGPASS');
    expect(said).toEqual([
      'no Redis connection: ECONNREFUSED',
      'no Redis connection: WRONGPASS',
      'connected to Redis',
      'connection to Redis lost',
      'no Redis connection: WRONGPASS',
    ]);
  });

  it('says nothing while it is lost again and again at once, until that has a reason', () => {
    log.connected();
    for (let time = 0; time < 20; time += 1) {
      vi.advanceTimersByTime(999);
      log.lost({ wanted: false });
      log.connected();
    }
    expect(said).toEqual(['connected to Redis']);
    log.lost({ wanted: false });
    log.failed('ECONNREFUSED');
    log.connected();
    expect(said.slice(1)).toEqual(['no Redis connection: ECONNREFUSED', 'connected to Redis']);
  });

  it('does not tell its end to whoever wanted it', () => {
    log.connected();
    vi.advanceTimersByTime(1_000);
    log.lost({ wanted: true });
    expect(said).toEqual(['connected to Redis']);
    expect(log.isConnected).toBe(false);
  });
});
