import { readFile } from 'node:fs/promises';
import { ERROR_CODES } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { pageAbout } from './error-pages.ts';

const read = (path: string) =>
  readFile(new URL(`../../../../${path}`, import.meta.url), { encoding: 'utf8' });

test('each fault of the service has a section, and every other code is in docs/errors.md', async () => {
  const errors = await read('docs/errors.md');
  for (const code of ERROR_CODES) {
    const [path = '', section] = pageAbout(code).split('#');
    if (section === undefined) {
      expect(errors).toContain(`\`${code}\``);
      continue;
    }
    const [status] = section.split('-');
    expect(await read(path)).toContain(`## ${status} \`${code}\``);
  }
});
