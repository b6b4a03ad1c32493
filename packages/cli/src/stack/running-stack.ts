import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { CommandFailure } from '../command.ts';
import { errorCode } from '../error-code.ts';
import { ProcessIdentity } from './process-identity.ts';

/** A process of a running stack. */
export const RunningProcess = z.object({
  name: z.string(),
  /** Where it is reached. */
  url: z.string(),
  /** Where it says whether it is ready; null for programs that have no such address. */
  health_url: z.string().nullable(),
  /** A server that was there before, and is somebody else's. */
  external: z.boolean(),
  /** Null while it is being restarted, and for external ones. */
  process: ProcessIdentity.nullable(),
  /** It serves, and after a restart so does the whole stack again. */
  ready: z.boolean(),
  restarts: z.int().min(0),
});
export type RunningProcess = z.infer<typeof RunningProcess>;

/** What a running stack tells the other commands. No API key is ever written to a disk. */
export const RunningStack = z.object({
  up: ProcessIdentity,
  base_url: z.string(),
  api_root: z.string(),
  redis_url: z.string(),
  nats_url: z.string(),
  /** What the subjects of its services begin with. */
  subject_prefix: z.string(),
  /** Of the first replica; the gateways know them all. */
  catalog_address: z.string(),
  /** Of every quota: each can be asked for what is left. */
  quota_addresses: z.array(z.string()),
  admin_address: z.string(),
  /** Of every catalog: changes can be made at any. */
  admin_addresses: z.array(z.string()),
  admin_token_file: z.string(),
  /** What its runtimes serve; none until they are ready. */
  models: z.array(z.string()).default([]),
  logs: z.string(),
  services: z.array(RunningProcess),
});
export type RunningStack = z.infer<typeof RunningStack>;

/** Replaced as a whole, so that a reader never meets half of it. */
export async function writeRunningStack(file: string, stack: RunningStack): Promise<void> {
  const written = `${file}.new`;
  await writeFile(written, `${JSON.stringify(stack, undefined, 2)}\n`, { mode: 0o600 });
  await rename(written, file);
}

/** Undefined when no stack runs there. Where one may run and the file does not tell, it fails with the reason. */
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
      `${file} is not readable as what 'sluice up' writes there: it is damaged, or of another version`,
      { cause: error },
    );
  }
}

export async function removeRunningStack(file: string): Promise<void> {
  await rm(file, { force: true });
}
