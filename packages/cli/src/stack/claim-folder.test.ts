import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { claimFolder } from './claim-folder.ts';

let path = '';

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'sluice-claim-'));
  await writeFile(join(path, 'sluice.json'), '{"version":1}\n');
});

afterEach(async () => {
  await rm(path, { recursive: true });
});

test.each([
  ['nats', 'file'],
  ['redis', 'file'],
  ['logs', 'file'],
  ['running.json', 'folder'],
  ['up.lock', 'folder'],
])(
  'a folder in which %s is a %s is damaged, and can be claimed when that is repaired',
  async (part, kind) => {
    if (kind === 'file') await writeFile(join(path, part), '');
    else await mkdir(join(path, part, 'filled'), { recursive: true });
    const claiming = claimFolder(path, { fresh: false });
    await expect(claiming).rejects.toThrow(UsageError);
    await expect(claiming).rejects.toThrow(
      new RegExp(`^the state folder ${path} is damaged: its ${part} [^\\n]*--fresh[^\\n]*$`),
    );
    await rm(join(path, part), { recursive: true, force: true });
    await using claimed = await claimFolder(path, { fresh: false });
    expect(claimed.folder.path).toBe(path);
  },
);
