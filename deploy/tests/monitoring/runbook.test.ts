import { glob } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  anchorOf,
  exists,
  headingsOf,
  linksOf,
  readPage,
  repositoryRoot,
} from './repository-pages.ts';

const RUNBOOK = 'docs/operations/client-errors.md';
const PAGES = ['*.md', '{docs,deploy}/**/*.md', '{packages,services}/*/*.md'];

describe('the documentation', () => {
  test('has a section for each error that is not the fault of the client', async () => {
    const rows = (await readPage('docs/errors.md'))
      .split('\n')
      .map((row) => row.split('|').map((cell) => cell.trim()));
    const ours = rows.flatMap(([, code, status]) =>
      code !== undefined && /^5\d\d$/.test(status ?? '') ? `${status} ${code}` : [],
    );
    expect(ours.length).toBeGreaterThan(5);
    const sections = await headingsOf(RUNBOOK);
    expect(ours.filter((error) => !sections.includes(error))).toEqual([]);
  });

  test('has no link to a page or a heading that does not exist', async () => {
    const broken: string[] = [];
    let links = 0;
    for await (const page of glob(PAGES, {
      cwd: repositoryRoot,
      exclude: ['**/node_modules/**'],
    })) {
      for (const { path, anchor } of await linksOf(page)) {
        links += 1;
        if (!(await isThere(path, anchor))) broken.push(`${page}: ${path}#${anchor ?? ''}`);
      }
    }
    expect(broken).toEqual([]);
    expect(links).toBeGreaterThan(100);
  });
});

async function isThere(path: string, anchor: string | undefined): Promise<boolean> {
  if (anchor === undefined) return exists(path);
  return (await headingsOf(path)).map(anchorOf).includes(anchor);
}
