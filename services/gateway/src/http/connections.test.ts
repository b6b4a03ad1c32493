import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Connections } from './connections.ts';

let now: number;
beforeEach(() => {
  now = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** As in a process whose next check comes after so long. */
function pass(milliseconds: number): void {
  now += milliseconds;
  vi.advanceTimersByTime(1_000);
}

test('a client is not taken for one that reads nothing because the gateway stood still', () => {
  using connections = new Connections(() => undefined);
  const server = createServer();
  connections.watch(server);
  const sent = { written: 100, waiting: 100 };
  const socket = Object.defineProperties(new Socket(), {
    bytesWritten: { get: () => sent.written },
    writableLength: { get: () => sent.waiting },
  });
  server.emit('connection', socket);
  pass(1_000);
  pass(60_000);
  expect(socket.destroyed).toBe(false);
  // It has room for more, which could be seen only now.
  sent.waiting = 50;
  for (let second = 0; second < 30; second += 1) pass(1_000);
  expect(socket.destroyed).toBe(false);
  pass(1_000);
  expect(socket.destroyed).toBe(true);
});
