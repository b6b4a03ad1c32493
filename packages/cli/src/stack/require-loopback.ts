import { LOOPBACK } from '@sluice/servers';
import { UsageError } from '../command.ts';

const HOST_SETTINGS = ['HOST', 'ADMIN_HOST', 'HEALTH_HOST'] as const;
const ACCEPTED: ReadonlySet<string> = new Set(['', LOOPBACK, 'localhost']);

/**
 * Refuses settings that would open a local stack to other machines. Its Redis and NATS have no passwords, and each
 * start prints an API key.
 */
export function requireLoopback(environment: Readonly<Record<string, string | undefined>>): void {
  const wrong = HOST_SETTINGS.filter((name) => !ACCEPTED.has(environment[name] ?? ''));
  if (wrong.length === 0) return;
  throw new UsageError(
    `${wrong.join(' and ')} cannot be used: a local stack listens only on ${LOOPBACK}; ` +
      'unset it, or see deploy/README.md for how to serve other machines',
  );
}
