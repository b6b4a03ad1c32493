import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ClientConnection } from './client-connection.ts';
import { Exchange } from './exchange.ts';

const MEBIBYTE = 2 ** 20;

/** A connection of which a test says what was written to it, and what of that still waits. */
function setUp() {
  const sent = { written: 0, waiting: 0 };
  const socket = Object.defineProperties(new Socket(), {
    bytesWritten: { get: () => sent.written },
    writableLength: { get: () => sent.waiting },
  });
  return { sent, socket, connection: new ClientConnection(socket, () => undefined) };
}

/**
 * The two ends of a connection, the second of which reads nothing yet. Not over TCP, whose buffers grow: between
 * these, the system keeps some 200 KB.
 */
async function connectedSockets(): Promise<{ socket: Socket; client: Socket }> {
  const folder = await mkdtemp(join(tmpdir(), 'socket-pair-'));
  const server = createServer().listen(join(folder, 'socket'));
  const accepted = once(server, 'connection');
  const client = connect(join(folder, 'socket'));
  const [socket] = (await accepted) as [Socket];
  onTestFinished(async () => {
    for (const end of [socket, client]) end.destroy();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { socket, client };
}

/** Reads so many bytes at least, and then no more. */
async function readFrom(client: Socket, bytes: number): Promise<void> {
  let read = 0;
  client.resume();
  while (read < bytes) {
    const [piece] = (await once(client, 'data')) as [Buffer];
    read += piece.length;
  }
  client.pause();
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

  test('whose client takes a part of one large piece after another is kept', async () => {
    const { socket, client } = await connectedSockets();
    const connection = new ClientConnection(socket, () => undefined);
    socket.write(Buffer.alloc(32 * MEBIBYTE));
    connection.giveUpIfStalled(0);
    for (const now of [30_000, 60_000, 90_000]) {
      await readFrom(client, 4 * MEBIBYTE);
      connection.giveUpIfStalled(now);
      expect(socket.destroyed).toBe(false);
      expect(socket.writableLength).toBe(32 * MEBIBYTE);
    }
    connection.giveUpIfStalled(119_999);
    expect(socket.destroyed).toBe(false);
    connection.giveUpIfStalled(120_000);
    expect(socket.destroyed).toBe(true);
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

  test.each([
    ['reset where only that tells it from an end', 0],
    ['closed where its chunks tell', 1],
  ])('that is given up is %s', (_, minorVersion) => {
    const { sent, socket, connection } = setUp();
    const reset = vi.spyOn(socket, 'resetAndDestroy').mockReturnThis();
    const request = new IncomingMessage(socket);
    request.httpVersionMajor = 1;
    request.httpVersionMinor = minorVersion;
    const response = new ServerResponse(request);
    connection.add(new Exchange({ request, response, operation: 'unknown' }));
    response.writeHead(200).flushHeaders();
    sent.waiting = 10_000;
    for (const now of [0, 30_000]) connection.giveUpIfStalled(now);
    expect(reset).toHaveBeenCalledTimes(minorVersion === 0 ? 1 : 0);
    expect(socket.destroyed).toBe(minorVersion === 1);
  });
});
