import { OLDEST_REVISION } from '@sluice/contracts';
import type { Logger } from '@sluice/service';
import type { Cluster, Redis } from 'ioredis';
import { DeadlineMissedError } from '../limiter/limit-store.ts';
import { isCluster } from './redis-client.ts';
import type { RedisLimitStore } from './redis-limit-store.ts';

export interface ProbeOptions {
  readonly redis: Redis | Cluster;
  readonly store: RedisLimitStore;
  readonly deadlineMs: number;
  /** A name that no organization has. */
  readonly organization: string;
}

const PROBE_KEY_TTL_MS = 1_000;

/**
 * Resolves if the store decides and writes. The probe must write, because a store that is full or read-only still
 * answers reads. It also loads the script if Redis does not have it.
 */
export async function probeStore(options: ProbeOptions): Promise<void> {
  const { redis, store, deadlineMs, organization } = options;
  // With a cost of 0 and the oldest revision, the script does not change the stored state.
  const answers = store.decide([
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
  const written = redis.set(`${store.keyOf(organization)}:probe`, '', 'PX', PROBE_KEY_TTL_MS);
  const { promise: missed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlineMissedError('no answer')), deadlineMs);
  try {
    await Promise.race([Promise.all([written, ...answers]), missed]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Warns if Redis may evict keys. An organization whose key is evicted would have its full limits again, unnoticed.
 * https://redis.io/docs/latest/develop/reference/eviction/
 */
export async function warnOfEviction(redis: Redis | Cluster, logger: Logger): Promise<void> {
  const nodes = isCluster(redis) ? redis.nodes('master') : [redis];
  const pages = await Promise.allSettled(nodes.map((node) => node.info('memory')));
  const policies = pages.map((page) => (page.status === 'fulfilled' ? evictionOf(page.value) : ''));
  const policy = policies.find((found) => found !== '');
  if (policy === undefined) return;
  logger.warn(
    { policy },
    'Redis may evict the counters of the limits: set its maxmemory-policy to noeviction',
  );
}

/** The eviction policy; empty if no key is evicted. */
function evictionOf(page: string): string {
  if (/^maxmemory:0\r?$/m.test(page)) return '';
  const policy = /^maxmemory_policy:(?<name>[\w-]+)/m.exec(page)?.groups?.['name'] ?? '';
  return policy === 'noeviction' ? '' : policy;
}
