import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMarkedViolations } from './marked-fixture.ts';
import { lint } from './tool-checks.ts';

const root = join(import.meta.dirname, '../../../..');
const fixture = join(import.meta.dirname, '../../fixtures/lint');
let workspace: string;

// The linter ignores the fixtures where they lie, so they are linted in a copy
// with the real settings and tools.
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'sluice-lint-'));
  await cp(fixture, workspace, { recursive: true });
  await cp(join(root, '.oxlintrc.json'), join(workspace, '.oxlintrc.json'));
  await cp(join(root, 'tsconfig.json'), join(workspace, 'tsconfig.json'));
  await mkdir(join(workspace, 'node_modules'));
  for (const entry of ['.bin', '@types', 'oxlint-tsgolint', 'vitest']) {
    await symlink(join(root, 'node_modules', entry), join(workspace, 'node_modules', entry));
  }
});

afterAll(async () => {
  await rm(workspace, { recursive: true, force: true });
});

test('the linter finds every deliberate mistake, and reports nothing else', async () => {
  const outcome = await lint.run(workspace);

  const report = outcome.passed ? '' : outcome.report;
  const caught = [...report.matchAll(/^([^:\n]+):\d+:\d+: (.*) \[Error(?:\/(.*))?\]$/gm)].map(
    ([, path, message, rule]) => `${path}: ${rule ?? message?.split(' (')[0]}`,
  );
  expect(caught.toSorted()).toEqual(await readMarkedViolations(fixture));
});
