import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { ProcessIdentity } from '@sluice/servers';
import * as z from 'zod';
import { CommandFailure } from '../command.ts';
import { errorCode } from '../error-code.ts';

/** A process of a running stack. */
export const RunningProcess = z.object({
  name: z.string(),
  /** The address of the process. */
  url: z.string(),
  /** The URL that reports whether it is ready. Null for programs without a health URL. */
  health_url: z.string().nullable(),
  /** A server that the stack did not start. */
  external: z.boolean(),
  /** Null while it is being restarted, and for external servers. */
  process: ProcessIdentity.nullable(),
  /** The process is ready. After a restart, this is true only when the whole stack serves requests again. */
  ready: z.boolean(),
  restarts: z.int().min(0),
});
export type RunningProcess = z.infer<typeof RunningProcess>;

/** The record of a running stack for other commands. It holds no API key. */
export const RunningStack = z.object({
  up: ProcessIdentity,
  base_url: z.string(),
  api_root: z.string(),
  redis_url: z.string(),
  nats_url: z.string(),
  /** The prefix of the NATS subjects of its services. */
  subject_prefix: z.string(),
  /** The address of the first replica. The gateways know all replicas. */
  catalog_address: z.string(),
  /** The address of every quota replica. Each of them can report the limits. */
  quota_addresses: z.array(z.string()),
  admin_address: z.string(),
  /** The admin address of every catalog replica. Each of them accepts changes. */
  admin_addresses: z.array(z.string()),
  /** Empty if usage does not run. */
  usage_address: z.string().default(''),
  /** Empty if the console does not run. */
  console_url: z.string().default(''),
  admin_token_file: z.string(),
  /** The models that its runtimes serve. Empty until they are ready. */
  models: z.array(z.string()).default([]),
  logs: z.string(),
  services: z.array(RunningProcess),
});
export type RunningStack = z.infer<typeof RunningStack>;

/** Writes a new file and renames it, so that a reader never sees half of it. */
export async function writeRunningStack(file: string, stack: RunningStack): Promise<void> {
  const written = `${file}.new`;
  await writeFile(written, `${JSON.stringify(stack, undefined, 2)}\n`, { mode: 0o600 });
  await rename(written, file);
}

/** Undefined if no stack runs from the folder. Fails if the file exists but cannot be read. */
export async function readRunningStack(file: string): Promise<RunningStack | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CommandFailure(`${file} cannot be read (${code})`, { cause: error });
  }
  try {
    return RunningStack.parse(JSON.parse(text));
  } catch (error) {
    throw new CommandFailure(
      `${file} cannot be understood: it is damaged, or another version of 'sluice up' has written it`,
      { cause: error },
    );
  }
}

export async function removeRunningStack(file: string): Promise<void> {
  await rm(file, { force: true });
}
