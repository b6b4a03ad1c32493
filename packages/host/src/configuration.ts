import { isIP } from 'node:net';
import * as z from 'zod';
import { settingRefusal } from './check-settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used. Its message names every bad variable, one a line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Reads settings from an environment by a schema whose keys are the variables' names. */
export function readConfiguration<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
): z.infer<Schema> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = environment[name];
    // An empty variable is how shells and manifests say "not set".
    if (value !== undefined && value !== '') given[name] = value;
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new ConfigurationError(
    `${lines.length === 1 ? 'a setting is' : 'settings are'} wrong:\n${lines.join('\n')}`,
  );
}

/** A whole number in a range, from text. */
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

/** A comma-separated list of at least one. */
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

/** What to listen on: this machine alone, unless another is given. */
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

/** One that OpenTelemetry does not know it passes over, and nothing is sent. It reads lists with empty places. */
function exporterSetting(...names: readonly string[]) {
  const known = new Set([...names, '']);
  return z
    .string()
    .refine(
      (text) => text.split(',').every((name) => known.has(name.trim())),
      `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    );
}

/** Settings that every service has; `checkProcessSettings` looks at them together. */
export const processSettings = {
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Where /livez and /readyz are served: an internal port, never the public one. */
  HEALTH_HOST: hostSetting(),
  HEALTH_PORT: portSetting().default(0),
  /** In capitals too, as OpenTelemetry reads it and others write it. */
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
  OTEL_TRACES_EXPORTER: exporterSetting('otlp', 'zipkin', 'console', 'none').optional(),
  OTEL_METRICS_EXPORTER: exporterSetting('otlp', 'prometheus', 'console', 'none').optional(),
  OTEL_LOG_LEVEL: z.string().optional(),
};

const WebAddress = z.url({ protocol: /^https?$/ });

/** A collector without a scheme is one for gRPC alone: with the other protocols nothing would reach it. */
export function checkProcessSettings(
  settings: z.infer<z.ZodObject<typeof processSettings>>,
  context: z.RefinementCtx,
): void {
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
