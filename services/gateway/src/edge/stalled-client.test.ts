import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@sluice/devkit';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { watchForStall } from './stalled-client.ts';

const MEBIBYTE = 2 ** 20;
const CHECK_MS = 200;

afterEach(() => void vi.restoreAllMocks());

/**
 * A request on a real server whose client reads nothing yet. A Unix socket buffers about 200 KB; TCP buffers grow.
 */
async function openRequest() {
  const folder = await mkdtemp(join(tmpdir(), 'stalled-client-'));
  const server = createServer().listen(join(folder, 'socket'));
  const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const client = connect(join(folder, 'socket')).pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const [request, response] = await requested;
  let checks = 0;
  const { socket } = request;
  watchForStall(response, () => socket.destroy(), CHECK_MS);
  response.on('timeout', () => (checks += 1));
  onTestFinished(async () => {
    client.destroy();
    socket.destroy();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { client, response, socket, checks: () => checks };
}

/** Reads at least this many bytes, then pauses. */
async function readFrom(client: Socket, bytes: number): Promise<void> {
  let read = 0;
  client.resume();
  while (read < bytes) {
    const [piece] = (await once(client, 'data')) as [Buffer];
    read += piece.length;
  }
  client.pause();
}

test('a client that waits for its reply stays connected', async () => {
  const { client, response, socket, checks } = await openRequest();
  await waitUntil(() => checks() >= 4, { what: 'four checks' });
  expect(socket.destroyed).toBe(false);
  response.end('late');
  client.setEncoding('utf8').resume();
  const [text] = (await once(client, 'data')) as [string];
  expect(text).toContain('late');
});

test('a client that reads part of one large write in each period stays connected until it stops', async () => {
  const { client, response, socket } = await openRequest();
  response.write(Buffer.alloc(32 * MEBIBYTE));
  const start = performance.now();
  for (let period = 1; period <= 6; period += 1) {
    await readFrom(client, 2 * MEBIBYTE);
    const end = start + period * CHECK_MS;
    await waitUntil(() => performance.now() >= end, { what: 'the next period' });
    expect(socket.destroyed).toBe(false);
    expect(socket.writableLength).toBeGreaterThan(32 * MEBIBYTE);
  }
  await waitUntil(() => socket.destroyed, { what: 'the connection to be cut' });
});

test('a pause of the process does not count as a client that reads nothing', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const socket = Object.defineProperty(new Socket(), 'writableLength', { value: 100 });
  const response = new ServerResponse(new IncomingMessage(socket));
  let disconnects = 0;
  watchForStall(response, () => (disconnects += 1));
  for (const moment of [15_000, 75_000]) {
    now.mockReturnValue(moment);
    response.emit('timeout');
  }
  expect(disconnects).toBe(0);
  now.mockReturnValue(90_000);
  response.emit('timeout');
  expect(disconnects).toBe(1);
  socket.destroy();
});
