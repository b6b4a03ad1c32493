import { isIP } from 'node:net';
import * as z from 'zod';

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
