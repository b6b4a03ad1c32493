import {
  integerSetting,
  listSetting,
  portSetting,
  processSettings,
  readConfiguration,
  type Environment,
} from '@sluice/host';
import * as z from 'zod';

const QuotaEnvironment = z
  .object({
    ...processSettings,
    HOST: z.string().default('127.0.0.1'),
    PORT: portSetting().default(50_051),
    /** One server; for Sentinel, the sentinels; for Cluster, some of the nodes. rediss:// is TLS. */
    REDIS_URL: listSetting()
      .transform((urls, context) => urls.map((url) => redisUrl(url, context)))
      .refine(sameProtocol, 'must be all redis:// or all rediss://')
      .default([new URL('redis://127.0.0.1:6379')]),
    REDIS_MODE: z.enum(['single', 'sentinel', 'cluster']).default('single'),
    REDIS_SENTINEL_NAME: z.string().default('mymaster'),
    REDIS_USERNAME: z.string().optional(),
    REDIS_PASSWORD: z.string().optional(),
    REDIS_SENTINEL_PASSWORD: z.string().optional(),
    REDIS_DATABASE: integerSetting(0, 1_000_000).optional(),
    /** A PEM file of the certificates to trust instead of the system's. */
    REDIS_CA_FILE: z.string().optional(),
    /** PEM files that show Redis who is calling, where it asks. One needs the other. */
    REDIS_CERT_FILE: z.string().optional(),
    REDIS_KEY_FILE: z.string().optional(),
    REDIS_KEY_PREFIX: z.string().default('sluice:quota:'),
    /** How long Redis may take to decide. Gateways give up after 150 ms, so keep it below. */
    REDIS_DEADLINE_MS: integerSetting(1, 60_000).default(100),
  })
  .superRefine(({ REDIS_CERT_FILE, REDIS_KEY_FILE }, context) => {
    if ((REDIS_CERT_FILE === undefined) === (REDIS_KEY_FILE === undefined)) return;
    context.addIssue({ code: 'custom', message: 'REDIS_CERT_FILE and REDIS_KEY_FILE go together' });
  });

export type QuotaSettings = z.infer<typeof QuotaEnvironment>;

export function readQuotaSettings(environment: Environment): QuotaSettings {
  return readConfiguration(QuotaEnvironment, environment);
}

function redisUrl(text: string, context: z.RefinementCtx): URL {
  const url = URL.parse(text);
  const usable =
    url !== null &&
    /^rediss?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    /^\/?\d*$/.test(url.pathname);
  if (usable) return url;
  // The address is not repeated: it may hold a password.
  context.addIssue({
    code: 'custom',
    message: 'must be a list of redis:// or rediss:// addresses',
  });
  return z.NEVER;
}

function sameProtocol(urls: readonly URL[]): boolean {
  return new Set(urls.map(({ protocol }) => protocol)).size <= 1;
}
