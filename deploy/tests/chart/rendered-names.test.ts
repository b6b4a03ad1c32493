import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { helmMissing, refusalOf, renderChart } from './helm.ts';
import { allOf } from './manifest.ts';

/** The prefix of all names in a release with these values. */
async function prefixWith(values: object, release?: string): Promise<string | undefined> {
  const [gateway] = allOf(await renderChart(values, release), 'Deployment');
  return gateway?.metadata.name.replace(/-gateway$/, '');
}

describe.skipIf(cannotRun('names as Helm renders them', helmMissing()))('names', () => {
  test.each([
    ['of the release and the chart', {}, 'acme-sluice'],
    ['of the release and another word', { nameOverride: 'chat' }, 'acme-chat'],
    ['of the release that has the word itself', { nameOverride: 'acme' }, 'acme'],
    ['of 30 characters', { fullnameOverride: 'a'.repeat(30) }, 'a'.repeat(30)],
    ['of 30 characters and a dash', { fullnameOverride: `${'a'.repeat(30)}-` }, 'a'.repeat(30)],
  ])('%s stay whole', async (_, values, prefix) => {
    expect(await prefixWith(values)).toBe(prefix);
  });

  test.each([
    ['with a dot', 'v1.2', {}, '"v1.2-sluice"'],
    ['that begins with a digit', '2024', {}, '"2024-sluice"'],
    ['that is given, and has large letters', 'acme', { fullnameOverride: 'Acme' }, '"Acme"'],
  ])('%s, which no Service can have, are refused', async (_, release, values, prefix) => {
    expect(await refusalOf(values, release)).toContain(
      `${prefix} cannot begin the names of Services: set fullnameOverride`,
    );
  });

  test.each(['v1.2', '2024'])('may be set for a release called %s', async (release) => {
    expect(await prefixWith({ fullnameOverride: 'acme' }, release)).toBe('acme');
  });

  test.each(['fullnameOverride', 'nameOverride'])(
    'that are too long differ by their ends too: %s',
    async (value) => {
      const shared = 'inference-of-the-whole-north';
      const prefixes = [
        await prefixWith({ [value]: `${shared}-staging` }),
        await prefixWith({ [value]: `${shared}-production` }),
      ];
      expect(new Set(prefixes).size).toBe(2);
      for (const prefix of prefixes) {
        expect(prefix).toMatch(/^(?=.{1,30}$)[a-z-]*[a-z]-[0-9a-f]{6}$/);
      }
    },
  );
});
