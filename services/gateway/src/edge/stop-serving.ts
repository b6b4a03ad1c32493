import { setTimeout as delay } from 'node:timers/promises';
import { atMost } from '@sluice/timing';
import { shuttingDown, type Drain } from '../domain/drain.ts';
import type { GatewayApp } from './app.ts';

export interface DrainTimes {
  /** For which requests are still served, while balancers hear that it is not ready any more. */
  readonly announceMs: number;
  /** For what has begun by then. */
  readonly limitMs: number;
}

/** For the clients of what is given up to be told so. */
const LAST_REPLIES_MS = 1_000;

/** Announces the end, closes the listener, lets what has begun finish, and cuts the rest. */
export async function stopServing(
  app: GatewayApp,
  drain: Drain,
  { announceMs, limitMs }: DrainTimes,
): Promise<void> {
  const { server } = app.fastify;
  drain.enter('announcing');
  // Their clients would come again on these connections, and be refused.
  app.connections.closeAfterReplies();
  await delay(announceMs);
  drain.enter('refusing');
  // With its idle connections. From now on it measures no time: a body has a deadline of its own.
  server.close();
  app.connections.closeWhenIdle();
  await atMost(limitMs, app.connections.idle());
  const failure = shuttingDown();
  app.connections.abandonAll(failure);
  await atMost(LAST_REPLIES_MS, app.connections.idle());
  app.connections.destroyAll(failure);
}
