import type { Logger } from '@sluice/telemetry';
import type { Cluster, Redis } from 'ioredis';
import { isCluster } from './redis-client.ts';

/**
 * Says so where Redis is set to throw keys away when its memory is full: an organization whose key went would have
 * all of its limits back, and nobody would know.
 */
export async function warnOfEviction(redis: Redis | Cluster, logger: Logger): Promise<void> {
  const nodes = isCluster(redis) ? redis.nodes('master') : [redis];
  const pages = await Promise.allSettled(nodes.map((node) => node.info('memory')));
  const policies = pages.map((page) => (page.status === 'fulfilled' ? evictionOf(page.value) : ''));
  const policy = policies.find((found) => found !== '');
  if (policy === undefined) return;
  logger.warn(
    { policy },
    'Redis may throw away what was spent: set its maxmemory-policy to noeviction',
  );
}

/** The policy by which keys go; empty where none does. */
function evictionOf(page: string): string {
  if (/^maxmemory:0\r?$/m.test(page)) return '';
  const policy = /^maxmemory_policy:(?<name>[\w-]+)/m.exec(page)?.groups?.['name'] ?? '';
  return policy === 'noeviction' ? '' : policy;
}
