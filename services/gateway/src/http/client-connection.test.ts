import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ClientConnection } from './client-connection.ts';

/** A connection of which a test says what was written to it, and what of that still waits. */
function setUp() {
  const sent = { written: 0, waiting: 0 };
  const socket = Object.defineProperties(new Socket(), {
    bytesWritten: { get: () => sent.written },
    writableLength: { get: () => sent.waiting },
  });
  return { sent, socket, connection: new ClientConnection(socket) };
}

describe('a connection', () => {
  test('on which nothing waits to be sent is kept, however long', () => {
    const { socket, connection } = setUp();
    for (const now of [0, 60_000, 120_000]) connection.giveUpIfStalled(now);
    expect(socket.destroyed).toBe(false);
  });

  test('whose client takes little at a time is kept', () => {
    const { sent, socket, connection } = setUp();
    sent.written = 10_000;
    for (let turn = 1; turn <= 10; turn += 1) {
      sent.waiting = 10_000 - turn;
      connection.giveUpIfStalled(turn * 29_000);
    }
    expect(socket.destroyed).toBe(false);
  });

  test('that is first looked at while the first piece is on its way has half a minute too', () => {
    const { sent, socket, connection } = setUp();
    // Node counts a piece as written at once, and as waiting until the system has taken all of it.
    sent.written = 10_000;
    sent.waiting = 10_000;
    connection.giveUpIfStalled(60_000);
    connection.giveUpIfStalled(89_999);
    expect(socket.destroyed).toBe(false);
    connection.giveUpIfStalled(90_000);
    expect(socket.destroyed).toBe(true);
  });

  test('whose client takes nothing is given up after half a minute, counted from when it last did', () => {
    const { sent, socket, connection } = setUp();
    connection.giveUpIfStalled(60_000);
    sent.written = 10_000;
    sent.waiting = 9_000;
    connection.giveUpIfStalled(61_000);
    connection.giveUpIfStalled(90_999);
    expect(socket.destroyed).toBe(false);
    connection.giveUpIfStalled(91_000);
    expect(socket.destroyed).toBe(true);
  });
});
