import { once } from 'node:events';
import { connect } from 'node:net';
import { useLeakCheck, useStack } from '@sluice/devkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from '../conformance/world.ts';
import { maskReply } from './mask-reply.ts';
import type { Keys, RecordedRequest } from './recorded-request.ts';
import { replayRequests } from './requests.ts';

/**
 * Compares the gateway's answers to some five hundred requests with a snapshot, byte for byte. If a change of the code
 * is meant to alter some answers, the difference of the snapshot shows which.
 */

useLeakCheck();

const stack = useStack({
  environment: { SIMULATOR_TTFT_MS: '0', SIMULATOR_ITL_MS: '0', HEADERS_TIMEOUT_MS: '3000' },
});
const LIMITS = {
  requests_per_minute: 1_000_000,
  requests_per_day: 1_000_000,
  tokens_per_minute: 1_000_000_000,
  tokens_per_day: 1_000_000_000,
};
const AT_ONCE = 8;
let world: World;
let keys: Keys;

beforeAll(async () => {
  world = await World.open(stack());
  const tenant = async (options = {}) =>
    (await world.tenant({ plan: { limits: LIMITS }, ...options })).key;
  keys = {
    served: await tenant(),
    waiting: await tenant({ account: { access: 'waiting' } }),
    restricted: await tenant({ account: { restricted: true } }),
    inactive: await tenant({ inactive: true }),
    unpaid: await tenant({ organization: { billing: 'conflict' } }),
    exhausted: await tenant({ organization: { billing: 'exhausted' } }),
  };
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

test('answers as recorded', { timeout: 300_000 }, async () => {
  const { port } = new URL(stack().baseUrl);
  const requests = replayRequests(keys);
  expect(requests.length).toBeGreaterThanOrEqual(500);
  for (let next = 0; next < requests.length; next += AT_ONCE) {
    const some = requests.slice(next, next + AT_ONCE);
    const replies = await Promise.all(some.map(async (each) => exchange(Number(port), each)));
    for (const [at, reply] of replies.entries()) {
      expect.soft(maskReply(reply)).toMatchSnapshot(some[at]?.title);
    }
  }
});

/** Everything that arrived on the connection until the gateway closed it. */
async function exchange(port: number, { bytes }: RecordedRequest): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1' });
  const received: Buffer[] = [];
  socket.on('data', (piece: Buffer) => received.push(piece));
  // If the gateway resets the connection, the answer ends there.
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(received);
}
