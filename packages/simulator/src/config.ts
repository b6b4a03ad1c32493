import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { parseModel, type SimulatedModel } from './models.ts';
import { defaultOptions, type SimulatorOptions } from './simulator.ts';
import { reasoningFields } from './wire-shapes.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid settings. The message names all of them. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
}

function milliseconds() {
  const rule = 'must be milliseconds from 0 to 600000';
  return z
    .string()
    .regex(/^\d+(\.\d+)?$/, rule)
    .transform(Number)
    .refine((value) => value <= 600_000, rule);
}

const models = z.string().transform((text, context): SimulatedModel[] => {
  const parsed = text.split(',').map(parseModel);
  const known = parsed.filter((model) => model !== undefined);
  if (known.length === parsed.length) return known;
  context.addIssue('must be names with commas between, each as name[:reasoning][:context=N]');
  return z.NEVER;
});

const HOST_NAME = /^[^\s:/@[\]]+$/;

const settings = z.object({
  HOST: z
    .string()
    .refine(
      (host) => isIP(host) !== 0 || HOST_NAME.test(host),
      'must be a host name or an address, without a scheme, a port or brackets',
    )
    .default(defaultOptions.host),
  PORT: wholeNumber(0, 65_535).default(defaultOptions.port),
  SIMULATOR_MODELS: models.optional(),
  SIMULATOR_SLOTS: wholeNumber(1, 1_000_000).optional(),
  SIMULATOR_TTFT_MS: milliseconds().optional(),
  SIMULATOR_ITL_MS: milliseconds().optional(),
  SIMULATOR_CACHE_BLOCKS: wholeNumber(1, 16_000_000).optional(),
  SIMULATOR_REASONING_FIELD: z
    .enum(reasoningFields, `must be one of ${reasoningFields.join(', ')}`)
    .optional(),
  SIMULATOR_API_KEY: z.string().optional(),
});

type Variable = keyof typeof settings.shape;

export const variableOfFlag = {
  host: 'HOST',
  port: 'PORT',
  models: 'SIMULATOR_MODELS',
  slots: 'SIMULATOR_SLOTS',
  'ttft-ms': 'SIMULATOR_TTFT_MS',
  'itl-ms': 'SIMULATOR_ITL_MS',
  'cache-blocks': 'SIMULATOR_CACHE_BLOCKS',
  'reasoning-field': 'SIMULATOR_REASONING_FIELD',
  'api-key': 'SIMULATOR_API_KEY',
} as const satisfies Record<string, Variable>;

function readFlags(argv: readonly string[]): Record<string, string> {
  const names = Object.keys(variableOfFlag);
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...argv], options, allowPositionals: false });
    return Object.fromEntries(
      Object.entries(variableOfFlag).flatMap(([flag, variable]) => {
        const value = values[flag];
        return typeof value === 'string' ? [[variable, value]] : [];
      }),
    );
  } catch {
    const known = names.map((name) => `--${name}`).join(', ');
    throw new ConfigurationError(
      `an option is not known or lacks its value; options: ${known}, --help`,
    );
  }
}

const notEmpty = (text: string | undefined) => (text === '' ? undefined : text);

/** Reads the options of a process. A flag overrides a variable, and an empty variable counts as unset. */
export function readConfiguration(
  environment: Environment,
  argv: readonly string[] = [],
): SimulatorOptions {
  const flags = readFlags(argv);
  const given = Object.fromEntries(
    Object.keys(settings.shape).map((name) => [name, flags[name] ?? notEmpty(environment[name])]),
  );
  const result = settings.safeParse(given);
  if (!result.success) {
    const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')} ${message}`);
    throw new ConfigurationError(`these settings cannot be used:\n${lines.join('\n')}`);
  }
  const { data } = result;
  return {
    host: data.HOST,
    port: data.PORT,
    models: data.SIMULATOR_MODELS,
    slots: data.SIMULATOR_SLOTS,
    timeToFirstTokenMs: data.SIMULATOR_TTFT_MS,
    betweenTokensMs: data.SIMULATOR_ITL_MS,
    cacheBlocks: data.SIMULATOR_CACHE_BLOCKS,
    reasoningField: data.SIMULATOR_REASONING_FIELD,
    apiKey: data.SIMULATOR_API_KEY,
  };
}
