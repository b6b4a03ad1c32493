import { readAuthoritiesFile, readIdentityFiles } from '@sluice/host';
import { REDIS_IDENTITY, type QuotaSettings } from '../config.ts';
import type { RedisSettings } from './redis-client.ts';

/**
 * What the environment says about Redis. A name, password or database of the first address counts too.
 * The files are read and looked at here, once.
 */
export function redisSettings(settings: QuotaSettings): RedisSettings {
  const [first] = settings.REDIS_URL;
  const inAddress = (text: string | undefined) =>
    text === undefined || text === '' ? undefined : decodeURIComponent(text);
  return {
    mode: settings.REDIS_MODE,
    urls: settings.REDIS_URL,
    sentinelName: settings.REDIS_SENTINEL_NAME,
    username: settings.REDIS_USERNAME ?? inAddress(first?.username),
    password: settings.REDIS_PASSWORD ?? inAddress(first?.password),
    sentinelPassword: settings.REDIS_SENTINEL_PASSWORD,
    database: settings.REDIS_DATABASE ?? Number(first?.pathname.slice(1) ?? 0),
    certificateAuthority: readAuthoritiesFile('REDIS_CA_FILE', settings),
    ...readIdentityFiles(REDIS_IDENTITY, settings),
  };
}
