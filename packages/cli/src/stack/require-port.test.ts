import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { requirePort } from './require-port.ts';

test('a port in use is refused until its server closes', async () => {
  const server = createServer();
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await expect(requirePort(port)).rejects.toThrow(UsageError);
  await expect(requirePort(port)).rejects.toThrow(`port ${port} is in use; choose another`);
  const { promise: closed, resolve: close } = Promise.withResolvers<unknown>();
  server.close(close);
  await closed;
  await expect(requirePort(port)).resolves.toBeUndefined();
});

test('port 0 is always accepted', async () => {
  await expect(requirePort(0)).resolves.toBeUndefined();
});
