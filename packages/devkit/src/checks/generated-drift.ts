import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Check, outcomeOf } from './check.ts';
import { runCommand } from './run-command.ts';

const generator = 'packages/rpc/src/generate.ts';
const committedFolder = 'packages/rpc/src/generated';

/** Compares two folders file by file; each difference is one line. */
export async function compareFolders(expected: string, actual: string): Promise<string[]> {
  const [expectedFiles, actualFiles] = await Promise.all([
    readFolder(expected),
    readFolder(actual),
  ]);
  const differences: string[] = [];
  for (const [path, content] of expectedFiles) {
    const found = actualFiles.get(path);
    if (found === undefined) differences.push(`${path} is missing`);
    else if (!found.equals(content)) differences.push(`${path} differs from what is generated`);
  }
  for (const path of actualFiles.keys()) {
    if (!expectedFiles.has(path)) differences.push(`${path} is no longer generated`);
  }
  return differences.toSorted();
}

async function readFolder(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1), await readFile(path));
  }
  return files;
}

export const generatedDrift: Check = {
  name: 'generated files',
  run: async (root) => {
    const fresh = await mkdtemp(join(tmpdir(), 'sluice-generated-'));
    try {
      const { exitCode, output } = await runCommand(
        root,
        process.execPath,
        generator,
        '--out',
        fresh,
      );
      if (exitCode !== 0) return { passed: false, report: output };
      const differences = await compareFolders(fresh, join(root, committedFolder));
      return outcomeOf(differences.map((line) => `${committedFolder}/${line}; npm run generate`));
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  },
};
