import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { UsageError, type CommandContext } from '../command.ts';
import { errorCode } from '../error-code.ts';
import { suggestion } from '../suggestion.ts';

/** The name of the stack on this machine. No context in the file can have this name. */
export const LOCAL = 'local';

/** Where a deployment is, and where its secrets are. Secrets themselves are never stored here. */
const Deployment = z.strictObject({
  /** The state folder of a stack on this machine. Excludes all addresses. */
  state: z.string().optional(),
  /** host:port of the admin port of a catalog. */
  address: z.string().optional(),
  usage: z.string().optional(),
  quota: z.string().optional(),
  /** The base URL of the API, including its path. */
  url: z.string().optional(),
  nats: z.string().optional(),
  prefix: z.string().optional(),
  nats_creds_file: z.string().optional(),
  token_file: z.string().optional(),
  /** The environment variable that holds the admin token. */
  token_env: z.string().optional(),
  tls: z.boolean().optional(),
  ca_file: z.string().optional(),
  cert_file: z.string().optional(),
  key_file: z.string().optional(),
});
export type Deployment = z.infer<typeof Deployment>;

const ContextFile = z.strictObject({
  current: z.string().default(LOCAL),
  contexts: z.record(z.string(), Deployment).default({}),
});
export type ContextFile = z.infer<typeof ContextFile>;

type ContextSource = Pick<CommandContext, 'environment'>;

/** Undefined if there is no home folder. */
function contextFilePath({ environment }: ContextSource): string | undefined {
  const { SLUICE_CONFIG: given, XDG_CONFIG_HOME: config, HOME: home } = environment;
  if (isSet(given)) return given;
  // The folder for settings: https://specifications.freedesktop.org/basedir-spec/latest/#variables
  if (isSet(config)) return join(config, 'sluice', 'contexts.yaml');
  return isSet(home) ? join(home, '.config', 'sluice', 'contexts.yaml') : undefined;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

export async function readContextFile(source: ContextSource): Promise<ContextFile> {
  const path = contextFilePath(source);
  if (path === undefined) return ContextFile.parse({});
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return ContextFile.parse({});
    throw new UsageError(`${path} cannot be read (${code})`, { cause: error });
  }
  try {
    return ContextFile.parse(parse(text) ?? {});
  } catch (error) {
    throw new UsageError(`${path} is damaged, or of a newer version; correct or delete it`, {
      cause: error,
    });
  }
}

/** Writes a new file, readable by its owner only, and renames it, so that a reader never sees half of it. */
export async function writeContextFile(file: ContextFile, source: ContextSource): Promise<string> {
  const path = contextFilePath(source);
  if (path === undefined) throw new UsageError('there is no home folder: set SLUICE_CONFIG');
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, stringify(file, { lineWidth: 0 }), { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${errorCode(error)})`, { cause: error });
  }
  return path;
}

/** The context with this name. Undefined is the stack on this machine. */
export function findContext({ contexts }: ContextFile, name: string): Deployment | undefined {
  if (name === LOCAL) return undefined;
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  const meant = suggestion(name, [...Object.keys(contexts), LOCAL]);
  throw new UsageError(
    `there is no context '${name}'${meant === '' ? "; 'sluice context list' lists them" : meant}`,
  );
}
