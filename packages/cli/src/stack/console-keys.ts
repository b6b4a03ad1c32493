import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { assertionKeySetting, publicAssertionKey } from '@sluice/rpc';
import * as z from 'zod';
import { errorCode } from '../error-code.ts';
import { damagedFolder, unwritableFolder, type StateFolder } from './state-folder.ts';

const KEY_NAME = 'sluice';
const KEY_BYTES = 32;

const Key = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const KeptKeys = z.object({ cookie_key: Key, assertion_key: Key });

/** Settings of the console and of the catalogs of a stack. */
export interface ConsoleKeys {
  readonly cookieKeys: string;
  readonly assertionKey: string;
  /** The public keys with which the catalogs check assertions. */
  readonly publicKeys: string;
}

/** The keys of the console of this stack. Created once, readable by their owner only. */
export async function consoleKeys({ path, consoleKeysFile }: StateFolder): Promise<ConsoleKeys> {
  const made = { cookie_key: randomKey(), assertion_key: randomKey() };
  try {
    await writeFile(consoleKeysFile, `${JSON.stringify(made)}\n`, { mode: 0o600, flag: 'wx' });
    return settingsOf(made);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw unwritableFolder(path, error);
  }
  try {
    return settingsOf(KeptKeys.parse(JSON.parse(await readFile(consoleKeysFile, 'utf8'))));
  } catch {
    throw damagedFolder(path, 'its console-keys.json cannot be read');
  }
}

function randomKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

function settingsOf(keys: z.infer<typeof KeptKeys>): ConsoleKeys {
  const assertionKey = `${KEY_NAME}:${keys.assertion_key}`;
  return {
    cookieKeys: keys.cookie_key,
    assertionKey,
    publicKeys: publicAssertionKey(assertionKeySetting().parse(assertionKey)),
  };
}
