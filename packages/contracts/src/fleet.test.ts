import { describe, expect, it } from 'vitest';
import {
  ControlMessage,
  HEARTBEAT_FRESH_MS,
  HEARTBEAT_INTERVAL_MS,
  HEARTBEAT_LATE_MS,
  Heartbeat,
  LEASE_EXPIRY_MS,
  LEASE_INTERVAL_MS,
  LEASE_LATE_MS,
} from './fleet.ts';
import { SILENCE_LIMIT_MS, TICK_INTERVAL_MS } from './frames.ts';

const load = { slots: 4, running: 1, queued: 0, queue_limit: 8 };

describe('heartbeats, leases and control messages', () => {
  it('may have fields that are not known here', () => {
    const heartbeat = {
      worker: 'w',
      pool: 'default',
      contract: 2,
      version: '9.0.0',
      models: ['m'],
      draining: false,
      load,
      service_ms: null,
      generated_tokens: 0,
      runtime_load: null,
    };
    expect(Heartbeat.parse({ ...heartbeat, temperature: 70 })).toEqual(heartbeat);
  });

  it('name the attempt to cancel, or inquire', () => {
    expect(ControlMessage.safeParse({ kind: 'cancel', attempt: 'r-1' }).success).toBe(true);
    expect(ControlMessage.safeParse({ kind: 'cancel', attempt: '' }).success).toBe(false);
    expect(ControlMessage.safeParse({ kind: 'inquiry' }).success).toBe(true);
    expect(ControlMessage.safeParse({ kind: 'restart', attempt: 'r-1' }).success).toBe(false);
  });

  it('are repeated often enough to survive one lost message', () => {
    expect(HEARTBEAT_LATE_MS).toBeGreaterThan(HEARTBEAT_INTERVAL_MS);
    expect(HEARTBEAT_FRESH_MS).toBeGreaterThan(2 * HEARTBEAT_INTERVAL_MS);
    expect(LEASE_LATE_MS).toBeGreaterThan(LEASE_INTERVAL_MS);
    expect(LEASE_EXPIRY_MS).toBeGreaterThan(2 * LEASE_INTERVAL_MS);
    expect(SILENCE_LIMIT_MS).toBeGreaterThan(2 * TICK_INTERVAL_MS);
  });
});
