import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads which rule each file of a fixture says it violates, as sorted "path: rule" lines. */
export async function readMarkedViolations(fixture: string): Promise<string[]> {
  const marked: string[] = [];
  for await (const path of glob('**/*.ts', { cwd: fixture })) {
    const rule = /^\/\/ violates: (.+)$/m.exec(await readFile(join(fixture, path), 'utf8'))?.[1];
    if (rule !== undefined) marked.push(`${path}: ${rule}`);
  }
  return marked.toSorted();
}
