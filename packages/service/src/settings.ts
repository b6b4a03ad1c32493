import { isIP } from 'node:net';
import * as z from 'zod';

export type RefuseSetting<Name extends string> = (name: Name, problem: string) => void;

/**
 * Returns a function that refuses a setting. Checks across several settings use it to refuse a setting that would be
 * ignored, because the operator relies on it.
 */
export function settingRefusal<Name extends string>(context: z.RefinementCtx): RefuseSetting<Name> {
  return (name, message) => context.addIssue({ code: 'custom', path: [name], message });
}

/** Refuses one of two settings that only make sense together. */
export function requireBothOrNeither<Name extends string>(
  [one, other]: readonly [Name, Name],
  settings: { readonly [Setting in Name]?: unknown },
  refuse: RefuseSetting<Name>,
): void {
  if ((settings[one] === undefined) !== (settings[other] === undefined)) {
    refuse(one, `goes together with ${other}`);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings are invalid. The message names every bad variable, one on each line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Reads settings from an environment. The keys of the schema are the names of the variables. */
export function readConfiguration<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
): z.infer<Schema> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = environment[name];
    // In shells and manifests, an empty variable means "not set".
    if (value !== undefined && value !== '') given[name] = value;
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new ConfigurationError(
    `${lines.length === 1 ? 'a setting is' : 'settings are'} wrong:\n${lines.join('\n')}`,
  );
}

export function integerSetting(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine(
      (value) => value >= minimum && value <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    );
}

export function portSetting() {
  return integerSetting(0, 65_535);
}

export function booleanSetting() {
  return z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');
}

/** A comma-separated list of at least one item. */
export function listSetting() {
  const message = 'must name at least one, separated by commas';
  return z
    .string(message)
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .refine((items) => items.length > 0, message);
}

const HOST_AND_PORT = /^(?:\[[0-9A-Fa-f:.]+\]|[^\s:/@[\]]+):(?<port>\d{1,5})$/;

const HOST_NAME = /^[^\s:/@[\]]+$/;

/** The address to listen on. By default only this machine can connect. */
export function hostSetting() {
  return z
    .string()
    .refine((host) => isIP(host) !== 0 || HOST_NAME.test(host), {
      message: 'must be a host name or an address, without a scheme, a port or brackets',
    })
    .default('127.0.0.1');
}

/** A comma-separated list of host:port. */
export function addressListSetting() {
  return listSetting().refine((addresses) => addresses.every(isHostAndPort), {
    message: 'must be host:port, without a scheme, separated by commas',
  });
}

export function isHostAndPort(address: string): boolean {
  const port = Number(HOST_AND_PORT.exec(address)?.groups?.['port'] ?? 0);
  return port >= 1 && port <= 65_535;
}

/** Refuses unknown names, which OpenTelemetry would ignore. Empty items of a list are allowed, as in OpenTelemetry. */
function namesSetting(...names: readonly string[]) {
  const known = new Set([...names, '']);
  return z
    .string()
    .refine(
      (text) => text.split(',').every((name) => known.has(name.trim())),
      `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    );
}

/** The settings of every service. `checkProcessSettings` checks them against each other. */
export const processSettings = {
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** The address of /livez and /readyz. An internal port, never the public one. */
  HEALTH_HOST: hostSetting(),
  HEALTH_PORT: portSetting().default(0),
  /** Case-insensitive, as in OpenTelemetry. */
  OTEL_SDK_DISABLED: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['true', 'false'], 'must be true or false'))
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json', 'grpc'], 'must be http/protobuf, http/json or grpc')
    .optional(),
  OTEL_TRACES_EXPORTER: namesSetting('otlp', 'zipkin', 'console', 'none').optional(),
  OTEL_METRICS_EXPORTER: namesSetting('otlp', 'prometheus', 'console', 'none').optional(),
  OTEL_NODE_RESOURCE_DETECTORS: namesSetting(
    'env',
    'host',
    'os',
    'process',
    'serviceinstance',
    'all',
    'none',
  ).optional(),
  OTEL_LOG_LEVEL: z.string().optional(),
};

export type ProcessSettings = z.infer<z.ZodObject<typeof processSettings>>;

const WebAddress = z.url({ protocol: /^https?$/ });

/**
 * Refuses a collector address without a scheme unless the protocol is gRPC. With the HTTP protocols, no export would
 * reach it.
 */
export function checkProcessSettings(settings: ProcessSettings, context: z.RefinementCtx): void {
  if (settings.OTEL_EXPORTER_OTLP_PROTOCOL === 'grpc') return;
  const refuse = settingRefusal(context);
  for (const name of [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  ] as const) {
    const address = settings[name];
    if (address === undefined || WebAddress.safeParse(address).success) continue;
    refuse(name, 'must be an http or https address, unless OTEL_EXPORTER_OTLP_PROTOCOL is grpc');
  }
}

/**
 * Whether the address has no user, password, query or fragment. They would not be sent with a request, and they may be
 * secrets.
 */
export function hasPathAlone(address: string): boolean {
  const url = URL.parse(address);
  return url === null || url.href === `${url.origin}${url.pathname}`;
}

/**
 * Whether nothing follows the version in the path. The path of an operation is appended, so an address that already has
 * one would have it twice.
 */
function endsWithVersion(address: string): boolean {
  const path = URL.parse(address)?.pathname.replace(/\/+$/, '') ?? '';
  return !path.includes('/v1/') || path.endsWith('/v1');
}

/** The address of a GPU runtime, with or without /v1 at the end. Messages never repeat it, as it may hold a secret. */
export const RuntimeUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine(
    hasPathAlone,
    'must have no user, password, query or fragment; a key goes into RUNTIME_API_KEY',
  )
  .refine(
    endsWithVersion,
    'must have nothing after /v1: write http://HOST:PORT or http://HOST:PORT/v1',
  );

/**
 * Printable ASCII only. Other characters, such as the line end of a file, are not allowed in the value of an HTTP
 * header.
 */
export const RuntimeApiKey = z
  .string()
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters, without a line end');
