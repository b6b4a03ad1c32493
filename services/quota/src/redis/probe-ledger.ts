import { OLDEST_REVISION } from '@sluice/contracts';
import type { Cluster, Redis } from 'ioredis';
import { DeadlineMissedError } from '../domain/ledger.ts';
import type { RedisLedger } from './redis-ledger.ts';

export interface ProbeOptions {
  readonly redis: Redis | Cluster;
  readonly ledger: RedisLedger;
  readonly deadlineMs: number;
  /** The name of one that no client has. */
  readonly organization: string;
}

const KEPT_MS = 1_000;

/**
 * Resolves when the store decides and writes again: one that is full, or read-only, still answers whoever
 * only looks. Loads the script where it is missing.
 */
export async function probeLedger(options: ProbeOptions): Promise<void> {
  const { redis, ledger, deadlineMs, organization } = options;
  // Asks for nothing under a revision that is never newer, so that the script itself leaves nothing.
  const answers = ledger.decide([
    {
      organization,
      limits: {
        requests_per_minute: null,
        requests_per_day: null,
        tokens_per_minute: null,
        tokens_per_day: null,
      },
      revision: OLDEST_REVISION,
      costs: [{ requests: 0, tokens: 0 }],
    },
  ]);
  const written = redis.set(`${ledger.keyOf(organization)}:probe`, '', 'PX', KEPT_MS);
  const { promise: missed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlineMissedError('no answer')), deadlineMs);
  try {
    await Promise.race([Promise.all([written, ...answers]), missed]);
  } finally {
    clearTimeout(timer);
  }
}
