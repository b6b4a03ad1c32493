import { createLogger } from '@sluice/service';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionLog } from './connect-redis.ts';

let logged: string[];
let log: ConnectionLog;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  logged = [];
  const write = (line: string) => {
    const { msg, reason } = JSON.parse(line) as { msg: string; reason?: string };
    logged.push(reason === undefined ? msg : `${msg}: ${reason}`);
  };
  const logger = createLogger({ service: 'quota', level: 'info', destination: { write } });
  log = new ConnectionLog('single', logger);
});
afterEach(() => void vi.useRealTimers());

describe('the log of the connection to Redis', () => {
  it('reports that the connection is made, and that it is lost', () => {
    log.connected();
    vi.advanceTimersByTime(1_000);
    log.lost({ wanted: false });
    expect(logged).toEqual(['connected to Redis', 'connection to Redis lost']);
  });

  it('reports each reason for a missing connection, once for each outage', () => {
    const reasons = ['ECONNREFUSED', 'ECONNREFUSED', 'WRONGPASS', 'ECONNREFUSED', 'WRONGPASS'];
    for (const reason of reasons) log.failed(reason);
    log.connected();
    vi.advanceTimersByTime(1_000);
    log.lost({ wanted: false });
    log.failed('WRONGPASS');
    expect(logged).toEqual([
      'no Redis connection: ECONNREFUSED',
      'no Redis connection: WRONGPASS',
      'connected to Redis',
      'connection to Redis lost',
      'no Redis connection: WRONGPASS',
    ]);
  });

  it('reports nothing while brief connections are lost again and again, until there is a reason', () => {
    log.connected();
    for (let time = 0; time < 20; time += 1) {
      vi.advanceTimersByTime(999);
      log.lost({ wanted: false });
      log.connected();
    }
    expect(logged).toEqual(['connected to Redis']);
    log.lost({ wanted: false });
    log.failed('ECONNREFUSED');
    log.connected();
    expect(logged.slice(1)).toEqual(['no Redis connection: ECONNREFUSED', 'connected to Redis']);
  });

  it('does not report that this process closed the connection', () => {
    log.connected();
    vi.advanceTimersByTime(1_000);
    log.lost({ wanted: true });
    expect(logged).toEqual(['connected to Redis']);
    expect(log.isConnected).toBe(false);
  });
});
