import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { UNLIMITED } from './calls.ts';

/**
 * A client process that sends one request after the other and reports the decisions. It is started with an IPC
 * channel by hammer-processes.ts.
 */

export interface HammerOrder {
  readonly addresses: readonly string[];
  readonly organization: string;
  readonly requestsPerMinute: number;
  readonly concurrency: number;
  readonly durationMs: number;
}

export interface HammerReport {
  /** The store's clock at each admission, in order. */
  readonly admittedAt: readonly number[];
  readonly refused: number;
  readonly unavailable: number;
}

/** Long enough for a busy machine: the test measures from the first to the last admission and needs every answer. */
const DEADLINE_MS = 5_000;

process.once('message', (order: HammerOrder) => void hammer(order));
process.send?.('ready');

async function hammer(order: HammerOrder): Promise<void> {
  const { addresses, organization, requestsPerMinute, concurrency, durationMs } = order;
  const logger = createLogger({ service: 'hammer', level: 'silent' });
  await using client = connectQuota({ addresses, deadlineMs: DEADLINE_MS, logger });
  await client.ready();
  const request = {
    organization,
    limits: { ...UNLIMITED, requests_per_minute: requestsPerMinute },
    revision: { epoch: 1, sequence: 1 },
    requests: 1,
    tokens: 0,
  };
  const admittedAt: number[] = [];
  let refused = 0;
  let unavailable = 0;
  const endsAt = performance.now() + durationMs;
  const worker = async () => {
    while (performance.now() < endsAt) {
      const decision = await client.admit(request);
      if (decision.outcome === 'admitted') admittedAt.push(decision.decidedAtMs);
      else if (decision.outcome === 'refused') refused += 1;
      else {
        unavailable += 1;
        // An unavailable service answers at once, so yield to the event loop.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const report: HammerReport = { admittedAt, refused, unavailable };
  process.send?.(report, () => process.disconnect());
}
