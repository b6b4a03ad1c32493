import { readFile, writeFile } from 'node:fs/promises';
import { randomBase62 } from '@sluice/contracts';
import { errorCode } from '../error-code.ts';
import { damagedFolder, unwritableFolder, type StateFolder } from './state-folder.ts';

const TOKEN_LENGTH = 43;
const TOKEN_SHAPE = /^[0-9A-Za-z]{32,}$/;

/** The token for the admin ports of the catalogs of this stack. Created once, readable by its owner only. */
export async function adminToken({ path, adminTokenFile }: StateFolder): Promise<string> {
  const token = randomBase62(TOKEN_LENGTH);
  try {
    await writeFile(adminTokenFile, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw unwritableFolder(path, error);
  }
  const kept = await readFile(adminTokenFile, 'utf8').then(
    (text) => text.trim(),
    () => {
      throw damagedFolder(path, 'its admin-token cannot be read');
    },
  );
  if (!TOKEN_SHAPE.test(kept)) throw damagedFolder(path, 'its admin-token holds no token');
  return kept;
}
