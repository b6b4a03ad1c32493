import { ACCESS_KINDS, withoutAccess } from '@sluice/servers';

/**
 * Tests start their own servers, because servers that are named in the environment hold real data. The
 * credentials for these servers are removed too, because services refuse them for the servers of tests.
 */
export function forgetGivenServers(environment: NodeJS.ProcessEnv = process.env): void {
  const { REDIS_URL: _redis, NATS_URL: _nats, ...kept } = withoutAccess(environment, ACCESS_KINDS);
  for (const name of Object.keys(environment)) {
    if (!(name in kept)) Reflect.deleteProperty(environment, name);
  }
}
