import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Reads the rules that the files of a fixture violate, from the comment in each file. Returns sorted lines `path:
 * rule`.
 */
export async function readMarkedViolations(fixture: string): Promise<string[]> {
  const marked: string[] = [];
  for await (const path of glob('**/*.ts', { cwd: fixture })) {
    const rule = /^\/\/ violates: (.+)$/m.exec(await readFile(join(fixture, path), 'utf8'))?.[1];
    if (rule !== undefined) marked.push(`${path}: ${rule}`);
  }
  return marked.toSorted();
}
