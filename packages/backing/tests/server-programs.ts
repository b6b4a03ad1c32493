import { join } from 'node:path';
import { readBackingEnvironment } from '@sluice/backing';

const unpacked = join(import.meta.dirname, '../../../.tools/servers/bin');

/** The programs that the bootstrap found, or those that an earlier one unpacked. */
export function serverPrograms(): { redis: string; nats: string } {
  const { redis, nats } = readBackingEnvironment({
    SLUICE_REDIS_SERVER: process.env['SLUICE_REDIS_SERVER'] ?? join(unpacked, 'redis-server'),
    SLUICE_NATS_SERVER: process.env['SLUICE_NATS_SERVER'] ?? join(unpacked, 'nats-server'),
  });
  return { redis: programOf(redis), nats: programOf(nats) };
}

function programOf(source: ReturnType<typeof readBackingEnvironment>['redis']): string {
  switch (source.kind) {
    case 'executable':
      return source.path;
    case 'docker':
      return `docker:${source.image}`;
    case 'url':
      throw new Error('a test starts servers of its own');
  }
}
