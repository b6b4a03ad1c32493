import { readAuthoritiesFile, readIdentityFiles } from '@sluice/service';
import { REDIS_IDENTITY, type QuotaSettings } from '../config.ts';
import type { RedisSettings } from './redis-client.ts';

/**
 * The settings of the Redis client. If user, password or database are not set, they are taken from the first address.
 * The certificate files are read and checked here, once.
 */
export function redisSettings(settings: QuotaSettings): RedisSettings {
  const [first] = settings.REDIS_URL;
  const decodedPart = (text: string | undefined) =>
    text === undefined || text === '' ? undefined : decodeURIComponent(text);
  return {
    mode: settings.REDIS_MODE,
    urls: settings.REDIS_URL,
    sentinelName: settings.REDIS_SENTINEL_NAME,
    username: settings.REDIS_USERNAME ?? decodedPart(first?.username),
    password: settings.REDIS_PASSWORD ?? decodedPart(first?.password),
    sentinelPassword: settings.REDIS_SENTINEL_PASSWORD,
    database: settings.REDIS_DATABASE ?? Number(first?.pathname.slice(1) ?? 0),
    certificateAuthority: readAuthoritiesFile('REDIS_CA_FILE', settings),
    ...readIdentityFiles(REDIS_IDENTITY, settings),
  };
}
