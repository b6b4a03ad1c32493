import { ACCESS_KINDS, withoutAccess } from '@sluice/backing';

/**
 * Tests start servers of their own: those that the environment of whoever runs them names hold
 * somebody's data. What opens those goes with them, because services refuse it for ours.
 */
export function forgetGivenServers(environment: NodeJS.ProcessEnv = process.env): void {
  const { REDIS_URL: _redis, NATS_URL: _nats, ...kept } = withoutAccess(environment, ACCESS_KINDS);
  for (const name of Object.keys(environment)) {
    if (!(name in kept)) Reflect.deleteProperty(environment, name);
  }
}
