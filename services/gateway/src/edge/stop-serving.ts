import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '@sluice/service';
import { shuttingDown, type Drain } from './drain.ts';
import type { GatewayApp } from './server.ts';

export interface DrainTimes {
  /** How long requests are still served while load balancers notice that the gateway is not ready. */
  readonly announceMs: number;
  /** How long open requests may then take to finish. */
  readonly limitMs: number;
}

/** How long the error replies to aborted requests may take. */
const LAST_REPLIES_MS = 1_000;

/** Announces the shutdown, closes the listener, waits for open requests and cuts the rest. */
export async function stopServing(
  app: GatewayApp,
  drain: Drain,
  { announceMs, limitMs }: DrainTimes,
): Promise<void> {
  const { server } = app.fastify;
  drain.enter('announcing');
  // A later request on the same connection would be refused.
  app.openRequests.closeAfterReplies();
  await delay(announceMs);
  drain.enter('refusing');
  // This closes idle connections too, and stops Node's check of requestTimeout (`httpServerPreClose` in
  // https://github.com/nodejs/node/blob/v24.0.0/lib/_http_server.js). `readBody` has its own deadline.
  server.close();
  app.openRequests.closeWhenIdle();
  await withTimeout(limitMs, app.openRequests.idle());
  const failure = shuttingDown();
  app.openRequests.abortAll(failure);
  await withTimeout(LAST_REPLIES_MS, app.openRequests.idle());
  app.openRequests.destroyAll(failure);
}
