import { existsSync } from 'node:fs';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

const unpacked = join(import.meta.dirname, '../../../../.tools/servers/bin');

const PROGRAMS = {
  SLUICE_REDIS_SERVER: join(unpacked, 'redis-server'),
  SLUICE_NATS_SERVER: join(unpacked, 'nats-server'),
} as const;

/** Adds the server programs that an earlier bootstrap unpacked, for tests that are run without the bootstrap. */
export function withServerPrograms(environment: Environment): Environment {
  const found = Object.entries(PROGRAMS).filter(([, program]) => existsSync(program));
  return { ...Object.fromEntries(found), ...environment };
}
