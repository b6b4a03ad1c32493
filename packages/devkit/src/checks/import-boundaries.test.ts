import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundaryRules } from './boundary-rules.ts';
import { findBoundaryViolations } from './import-boundaries.ts';
import { readMarkedViolations } from './marked-fixture.ts';

const fixture = join(import.meta.dirname, '../../fixtures/boundaries');
const installed = [
  '@grpc/grpc-js',
  '@nats-io/transport-node',
  'fastify',
  'ioredis',
  'pg',
  'vitest',
  'zod',
];
let workspace: string;

// A copy outside the repository gets the node_modules that an install would
// make, so that imports by package name resolve as they do in the real tree.
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'sluice-boundaries-'));
  await cp(fixture, workspace, { recursive: true });
  for await (const manifest of glob('packages/*/package.json', { cwd: workspace })) {
    const { name } = JSON.parse(await readFile(join(workspace, manifest), 'utf8')) as {
      name: string;
    };
    const link = join(workspace, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(workspace, dirname(manifest)), link);
  }
  for (const name of installed) {
    const folder = join(workspace, 'node_modules', name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name, main: 'index.js' }));
    await writeFile(join(folder, 'index.js'), '');
  }
});

afterAll(async () => {
  await rm(workspace, { recursive: true, force: true });
});

test('every forbidden import is found, and no allowed one', async () => {
  const { violations } = await findBoundaryViolations(workspace);

  const caught = violations.map(({ from, rule }) => `${from}: ${rule}`);
  expect(caught.toSorted()).toEqual(await readMarkedViolations(fixture));
});

test('every rule has a violation in the fixture', async () => {
  const violated = (await readMarkedViolations(fixture)).map((line) => line.split(': ')[1]);

  expect(new Set(violated)).toEqual(new Set(boundaryRules.map(({ name }) => name)));
});
