import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { knock } from './knock.ts';

const PATIENT = { patienceMs: 5_000, signal: new AbortController().signal };

test('a knock is heard where somebody takes connections, and by nobody else', async () => {
  const server = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `localhost:${(server.address() as AddressInfo).port}`;
  expect(await knock(address, PATIENT)).toBe(true);
  expect(await knock(address, { ...PATIENT, signal: AbortSignal.abort() })).toBe(false);
  server.close();
  await once(server, 'close');
  expect(await knock(address, PATIENT)).toBe(false);
});

test('nobody is found at what is no address', async () => {
  expect(await knock('127.0.0.1:70000', PATIENT)).toBe(false);
});
