import { ACCESS_KINDS, withoutAccess } from '@sluice/servers';

/**
 * Removes the addresses of servers from the environment. These servers hold real data, so tests start servers of their
 * own. The credentials are removed too, because services refuse them for servers without credentials.
 */
export function forgetGivenServers(environment: NodeJS.ProcessEnv = process.env): void {
  const { REDIS_URL: _redis, NATS_URL: _nats, ...kept } = withoutAccess(environment, ACCESS_KINDS);
  for (const name of Object.keys(environment)) {
    if (!(name in kept)) Reflect.deleteProperty(environment, name);
  }
}
