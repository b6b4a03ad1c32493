import { describe, expect, test } from 'vitest';
import { anchorOf, headingsOf, linksOf, readPage } from '../tests/repository-pages.ts';

const RUNBOOK = 'docs/operations.md';

describe('the page about operations', () => {
  test('has a section for each error that is our own fault', async () => {
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

  test('leads nowhere that is not there', async () => {
    const links = await linksOf(RUNBOOK);
    expect(links.length).toBeGreaterThan(10);
    for (const { path, anchor } of links) {
      await expect(readPage(path)).resolves.not.toBe('');
      if (anchor !== undefined) expect((await headingsOf(path)).map(anchorOf)).toContain(anchor);
    }
  });
});
