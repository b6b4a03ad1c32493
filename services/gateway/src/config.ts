import { busSettings, checkBusSettings } from '@sluice/bus';
import {
  DEFAULT_RETENTION_HEADER,
  SubjectPrefix,
  HeaderName,
  RATE_LIMIT_HEADER_NAMES,
} from '@sluice/contracts';
import { checkRpcClientSettings, rpcClientSettings } from '@sluice/rpc';
import {
  addressListSetting,
  checkProcessSettings,
  hostSetting,
  integerSetting,
  listSetting,
  portSetting,
  processSettings,
  readConfiguration,
  settingRefusal,
  type Environment,
} from '@sluice/service';
import * as z from 'zod';

/** Headers that frame a reply, or that a proxy removes. */
const FRAMING = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Headers that the gateway already uses in its replies. */
const USED_IN_REPLIES = [
  'allow',
  'cache-control',
  'set-cookie',
  'vary',
  'x-accel-buffering',
  ...Object.values(HeaderName),
  ...RATE_LIMIT_HEADER_NAMES,
];

const RESERVED = new Set([...FRAMING, ...USED_IN_REPLIES]);

/** Whether replies already have a header of this name, so that a setting must not use it. */
function isReservedHeader(name: string): boolean {
  return RESERVED.has(name) || name.startsWith('access-control-');
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MEBIBYTE = 1_048_576;

function duration(fallback: number, minimum = 0) {
  return integerSetting(minimum, 24 * HOUR_MS).default(fallback);
}

/**
 * Checks the spelling of an origin. Without this check, an origin that is written as no browser sends it would silently
 * match no page.
 */
function isOrigin(text: string): boolean {
  // The origins of pages that were opened from a file: `null` in browsers, `file://` in some web views.
  if (text === 'null' || text === 'file://') return true;
  const url = URL.parse(text);
  if (url === null) return false;
  // For the origin of an application, such as tauri://localhost, `url.origin` is the text "null".
  const origin = url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin;
  return origin === text && url.host !== '' && !url.host.includes('*');
}

const GatewaySettings = z.object({
  ...processSettings,
  HOST: hostSetting(),
  PORT: portSetting().default(8080),
  ...busSettings,
  SUBJECT_PREFIX: SubjectPrefix,
  QUOTA_ADDRESSES: addressListSetting(),
  CATALOG_ADDRESSES: addressListSetting(),
  ...rpcClientSettings,
  API_ROOT: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as /compat/v1')
    .default('/compat/v1'),
  RETENTION_HEADER: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be a header name in lower case')
    .refine((name) => !isReservedHeader(name), 'must be a name that no other header of a reply has')
    .default(DEFAULT_RETENTION_HEADER),
  /** `*`, or the list of origins whose pages may read replies. */
  CORS_ORIGINS: listSetting()
    .refine(
      (origins) => origins.join() === '*' || origins.every(isOrigin),
      'must be * alone, or origins as browsers send them, such as https://app.example: no path, no closing slash, no usual port, no capitals',
    )
    .default(['*']),
  BODY_LIMIT_BYTES: integerSetting(1_024, 64 * MEBIBYTE).default(4 * MEBIBYTE),
  /** Larger bodies are validated in a thread. */
  THREAD_BODY_BYTES: integerSetting(0, 262_144).default(65_536),
  EXAMINATION_THREADS: integerSetting(1, 64).default(2),
  /** Limits for the examination of one body. The defaults are many times what the largest ordinary body needs. */
  EXAMINATION_LIMIT_MS: duration(3_000, 100),
  EXAMINATION_HEAP_MEBIBYTES: integerSetting(64, 16_384).default(512),
  HEADER_LIMIT_BYTES: integerSetting(1_024, MEBIBYTE).default(16_384),
  HEADERS_TIMEOUT_MS: duration(10_000, 1),
  /** Time for the whole request, headers and body, to arrive. */
  REQUEST_TIMEOUT_MS: duration(MINUTE_MS, 1),
  KEEP_ALIVE_TIMEOUT_MS: duration(75_000, 1),
  /** Maximum number of client connections. Further ones are closed as soon as they open. */
  MAX_CONNECTIONS: integerSetting(1, 1_000_000).default(10_000),
  /** How long quota may take to decide. Without a decision by then, the request is refused. */
  QUOTA_DEADLINE_MS: duration(150, 1),
  CATALOG_DEADLINE_MS: duration(1_000, 1),
  /** How long an answer of the catalog is used without a new call. */
  CATALOG_CACHE_MS: duration(10_000),
  /** How long known credentials stay valid while the catalog is unreachable. */
  CATALOG_STALE_MS: duration(5 * MINUTE_MS),
  CATALOG_CACHE_ENTRIES: integerSetting(1, 10_000_000).default(50_000),
  /** How long a job may wait for a slot, and how long it may run in total. */
  QUEUE_TIMEOUT_MS: duration(30_000, 1),
  RUN_TIMEOUT_MS: duration(10 * MINUTE_MS, 1),
  /** How many requests, and how many bytes of their bodies, may wait for the first worker of a pool. */
  WAKE_QUEUE_REQUESTS: integerSetting(0, 1_000_000).default(1_000),
  WAKE_QUEUE_BYTES: integerSetting(0, 64 * 1_024 * MEBIBYTE).default(256 * MEBIBYTE),
  /** A stream whose runtime has answered waits this long for its first token before it sends its status. */
  LATE_STATUS_MS: duration(10_000),
  /** A stream without output sends a comment after this time. */
  KEEPALIVE_MS: duration(15_000, 1_000),
  /** A streaming client is disconnected if more than this is buffered for it. */
  STREAM_BUFFER_BYTES: integerSetting(16_384, 64 * MEBIBYTE).default(MEBIBYTE),
  /** During a shutdown, requests are still served for this long. Each connection closes after its reply. */
  DRAIN_ANNOUNCE_MS: duration(5_000),
  /** After `DRAIN_ANNOUNCE_MS`, open requests may take this long to finish. */
  DRAIN_LIMIT_MS: duration(2 * MINUTE_MS),
});

export const SETTING_NAMES = Object.keys(GatewaySettings.shape);

export type GatewaySettings = z.infer<typeof GatewaySettings>;

export function readGatewaySettings(environment: Environment): GatewaySettings {
  const schema = GatewaySettings.superRefine(checkProcessSettings)
    .superRefine(checkBusSettings)
    .superRefine(checkRpcClientSettings)
    .superRefine(checkTimeouts);
  return readConfiguration(schema, environment);
}

function checkTimeouts(settings: GatewaySettings, context: z.RefinementCtx): void {
  const { HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS } = settings;
  if (REQUEST_TIMEOUT_MS >= HEADERS_TIMEOUT_MS) return;
  settingRefusal(context)(
    'REQUEST_TIMEOUT_MS',
    `must not be below HEADERS_TIMEOUT_MS (${HEADERS_TIMEOUT_MS}), which is a part of it; raise it, or lower HEADERS_TIMEOUT_MS too`,
  );
}
