import { join } from 'node:path';
import { readBackingEnvironment, type BackingSource, type ServerProgram } from '@sluice/servers';

const unpacked = join(import.meta.dirname, '../../../.tools/servers/bin');

/** The programs that the bootstrap found, or those that an earlier run unpacked. */
export function serverPrograms(): Readonly<Record<'redis' | 'nats', ServerProgram>> {
  const { redis, nats } = readBackingEnvironment({
    SLUICE_REDIS_SERVER: process.env['SLUICE_REDIS_SERVER'] ?? join(unpacked, 'redis-server'),
    SLUICE_NATS_SERVER: process.env['SLUICE_NATS_SERVER'] ?? join(unpacked, 'nats-server'),
  });
  return { redis: programOf(redis), nats: programOf(nats) };
}

function programOf(source: BackingSource): ServerProgram {
  if (source.kind === 'url') throw new Error('a test starts servers of its own');
  return source;
}
