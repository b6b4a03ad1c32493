import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { breakConnection } from './break-connection.ts';

test.each([
  ['reset over HTTP/1.0, which has no chunks', 0],
  ['closed over HTTP/1.1, where the last chunk is missing', 1],
])('the connection of an incomplete reply is %s', (_, minorVersion) => {
  const socket = new Socket();
  const reset = vi.spyOn(socket, 'resetAndDestroy').mockReturnThis();
  const request = new IncomingMessage(socket);
  request.httpVersionMajor = 1;
  request.httpVersionMinor = minorVersion;
  const response = new ServerResponse(request);
  response.writeHead(200).flushHeaders();
  breakConnection(response);
  expect(reset).toHaveBeenCalledTimes(minorVersion === 0 ? 1 : 0);
  expect(socket.destroyed).toBe(minorVersion === 1);
});
