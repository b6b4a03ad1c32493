import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { probeTcp } from './address.ts';

const PATIENT = { timeoutMs: 5_000, signal: new AbortController().signal };

test('a TCP probe succeeds only if connections are accepted', async () => {
  const server = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `localhost:${(server.address() as AddressInfo).port}`;
  expect(await probeTcp(address, PATIENT)).toBe(true);
  expect(await probeTcp(address, { ...PATIENT, signal: AbortSignal.abort() })).toBe(false);
  server.close();
  await once(server, 'close');
  expect(await probeTcp(address, PATIENT)).toBe(false);
});

test('an invalid address is unreachable', async () => {
  expect(await probeTcp('127.0.0.1:70000', PATIENT)).toBe(false);
});
