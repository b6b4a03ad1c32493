import * as z from 'zod';
import { settingRefusal } from './check-settings.ts';
import { hostSetting, portSetting } from './configuration.ts';

/** A name that OpenTelemetry does not know it passes over, and goes without. It reads lists with empty places. */
function namesSetting(...names: readonly string[]) {
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

/** A collector without a scheme is one for gRPC alone: with the other protocols nothing would reach it. */
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
